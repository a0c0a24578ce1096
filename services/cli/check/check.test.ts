import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { checkFiles } from './files/check-files.ts'
import type { CheckLine } from './line.ts'
import { checkStandalone } from './standalone/check-standalone.ts'

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-check-'))
  await createIdentityFile(join(folder, 'identity.pem'), { overwrite: false })
})
afterEach(() => rmSync(folder, { recursive: true }))

const HANDLE = `bciq${'a'.repeat(52)}`

const MESH = `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: { name: edge }
spec:
  identity: { keyFile: identity.pem }
  listeners: { mcp: { port: 8080 }, npamp: { port: 8443 } }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshPeer
metadata: { name: partner }
spec:
  relayRefs: [{ name: edge }]
  addresses: [npamp://partner.example:8443]
  identity: { handles: [${HANDLE}] }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: { name: tools }
spec:
  relayRefs: [{ name: edge }]
  mcp: { stdio: { command: node } }
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: { name: tools }
spec:
  relayRefs: [{ name: edge }]
  path: /tools
  transparent: { target: { backendRef: { name: tools } } }
`

function file(text: string, name = 'mesh.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const short = ({ level, category, check }: CheckLine) => `${level} ${category}/${check}`
const bad = (lines: readonly CheckLine[]) => lines.filter(({ level }) => level !== 'ok')

/** With the folder of Node as the only one that has programs. */
function check(text: string, against: readonly string[] = []): Promise<readonly CheckLine[]> {
  return checkFiles({ files: [file(text)], against, isForCluster: false }, { PATH: join(process.execPath, '..') })
}

describe('of files that are as they should be', () => {
  it('there is one ok line for each thing looked at', async () => {
    expect((await check(MESH, [file(MESH, 'before.yaml')])).map(short)).toEqual([
      'ok files/readable',
      'ok resources/valid',
      'ok resources/authenticated',
      'ok change/allowed',
      'ok this machine/present',
    ])
  })

  it('a new object is no change of one that is there', async () => {
    const without = MESH.split('---').slice(0, 3).join('---')
    expect(bad(await check(MESH, [file(without, 'before.yaml')]))).toEqual([])
  })
})

describe('what files are compared with', () => {
  it('may be what kubectl has printed of it, also where that is refused', async () => {
    const stored = {
      apiVersion: 'v1',
      kind: 'List',
      items: MESH.split('---')
        .map((text) => parse(text) as { kind: string; metadata: object; spec: object })
        .map(({ metadata, spec, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
          spec:
            rest.kind === 'MeshRelay'
              ? { ...spec, audit: { storageSize: '2Gi' } }
              : { ...spec, relayRefs: [{ name: 'gone' }] },
          status: { conditions: [] },
        })),
    }
    const found = bad(await check(MESH, [file(stringify(stored), 'stored.yaml')]))
    expect(found.map(short)).toEqual(['failed change/allowed'])
    expect(found[0]?.message).toMatch(/mesh\.yaml:5:1: MeshRelay\/default\/edge: spec\.audit/)
  })
})

describe('files for a cluster', () => {
  const forCluster = (text: string) => checkFiles({ files: [file(text)], against: [], isForCluster: true }, {})

  it('name no file of this machine, and may name what is there already', async () => {
    const [relay = ''] = MESH.split('---').slice(3)
    expect((await forCluster(relay)).map(short)).toEqual([
      'ok files/readable',
      'ok resources/valid',
      'ok resources/authenticated',
    ])
    const found = bad(await forCluster(MESH))
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/spec\.identity\.keyFile: is only for files/),
    ])
  })
})

describe('of one fault in files there is one line, and it is that of the fault:', () => {
  it.each([
    ['a slip in YAML', ['path: /tools', 'path: [/tools'], 'failed resources/valid', /mesh\.yaml:\d+:\d+: /],
    ['an unknown field', ['path: /tools', 'paht: /x\n  path: /tools'], 'failed resources/valid', /spec\.paht: .*path/],
    ['a value out of bounds', ['port: 8080', 'port: 80800'], 'failed resources/valid', /listeners\.mcp\.port: .*65535/],
    [
      'a broken rule',
      [
        'relayRefs: [{ name: edge }]\n  addresses: [',
        'relayRefs: [{ name: edge }]\n  dial: always\n  addresses: [] # [',
      ],
      'failed resources/valid',
      /MeshPeer\/default\/partner: spec\.addresses/,
    ],
    [
      'a reference to nothing',
      ['backendRef: { name: tools }', 'backendRef: { name: tolls }'],
      'failed resources/valid',
      /MeshRoute\/default\/tools: .*backendRef\.name: not found or not permitted: MeshBackend default\/tolls/,
    ],
    [
      'what is not implemented yet',
      ['identity: { keyFile', 'audit: { durability: remote }\n  identity: { keyFile'],
      'failed resources/valid',
      /MeshRelay\/default\/edge: spec\.audit\.durability: .*is not implemented yet/,
    ],
    [
      'a peer that may be anybody',
      [`handles: [${HANDLE}]`, 'acceptAny: true, acceptAnyConfirmed: true'],
      'warning resources/authenticated',
      /MeshPeer\/default\/partner: spec\.identity\.acceptAny/,
    ],
    [
      'a key that is not there',
      ['keyFile: identity.pem', 'keyFile: nowhere.pem'],
      'failed this machine/present',
      /MeshRelay\/default\/edge: spec\.identity\.keyFile: .*nowhere\.pem/,
    ],
    [
      'a certificate that is not there',
      ['mcp: { port: 8080 }', 'mcp: { port: 8080, tls: { certFile: tls.crt, keyFile: identity.pem } }'],
      'failed this machine/present',
      /spec\.listeners\.mcp\.tls\.certFile: .*tls\.crt.* is not there/,
    ],
    [
      'a program that is not there',
      ['command: node', 'command: nodeling'],
      'warning this machine/present',
      /MeshBackend\/default\/tools: spec\.mcp\.stdio\.command: .*nodeling/,
    ],
  ] as const)('%s', async (_fault, [find, replacement], line, message) => {
    expect(MESH).toContain(find)
    const found = bad(await check(MESH.replace(find, replacement)))
    expect(found.map(short)).toEqual([line])
    expect(found[0]?.message).toMatch(message)
  })

  it('a file that is not there', async () => {
    const found = await checkFiles({ files: [join(folder, 'nothing.yaml')], against: [], isForCluster: false }, {})
    expect(found.map(short)).toEqual(['failed files/readable'])
    expect(found[0]?.message).toMatch(/nothing\.yaml: does not exist/)
  })

  it('a key that others may read', async () => {
    chmodSync(join(folder, 'identity.pem'), 0o644)
    expect(bad(await check(MESH)).map(short)).toEqual(['warning this machine/present'])
  })

  it('a change that a stored object does not take', async () => {
    const before = MESH.replace('identity: {', 'audit: { storageSize: 2Gi }\n  identity: {')
    const found = bad(await check(MESH, [file(before, 'before.yaml')]))
    expect(found.map(short)).toEqual(['failed change/allowed'])
    expect(found[0]?.message).toMatch(/mesh\.yaml:5:1: MeshRelay\/default\/edge: spec\.audit/)
  })
})

describe('of a process', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  async function serve(answers: Readonly<Record<string, readonly [number, unknown]>>): Promise<string> {
    const listening = createServer((request, response) => {
      const [code, body] = answers[request.url ?? ''] ?? [404, 'not found']
      response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    server = listening
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  }

  const READY = [200, { status: 'ok', reasons: [] }] as const
  const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: 'because' })
  const route = (...conditions: object[]) => ({
    kind: 'MeshRoute',
    metadata: { name: 'tools', namespace: 'default' },
    spec: { relayRefs: [{ name: 'edge' }] },
    status: { conditions: [condition('Accepted', 'True', 'Accepted'), ...conditions] },
  })
  const well = { resources: [route(condition('Programmed', 'True', 'Programmed'))] }

  it('that is well there is one ok line for each thing looked at', async () => {
    const lines = await checkStandalone(await serve({ '/readyz': READY, '/status': [200, well] }))
    expect(bad(lines)).toEqual([])
    expect(lines.map(short).slice(0, 3)).toEqual(['ok process/reachable', 'ok process/files', 'ok process/ready'])
  })

  it.each([
    [
      'has files that became wrong',
      { '/readyz': READY, '/status': [200, { ...well, refused: ['mesh.yaml:3:1: spec.path: is required'] }] },
      'failed process/files',
      'mesh.yaml:3:1: spec.path: is required',
    ],
    [
      'is not ready',
      { '/readyz': [503, { status: 'not ready', reasons: ['mcp listener is closed'] }], '/status': [200, well] },
      'failed process/ready',
      'it is not ready: mcp listener is closed',
    ],
    [
      'refuses a route',
      { '/readyz': READY, '/status': [200, { resources: [route(condition('Programmed', 'False', 'Rejected'))] }] },
      'failed resources/MeshRoute',
      'MeshRoute/default/tools: Programmed Rejected: because',
    ],
    ['is something else', { '/readyz': READY }, 'failed process/reachable', /answers \/status with 404/],
    [
      'answers what we do not know',
      { '/readyz': READY, '/status': [200, 'hello'] },
      'failed process/reachable',
      /is not the state of a mesh/,
    ],
  ] as const)('that %s there is one line', async (_what, answers, line, message) => {
    const found = bad(await checkStandalone(await serve(answers)))
    expect(found.map(short)).toEqual([line])
    expect(found[0]?.message).toMatch(message)
  })

  it('that is not there it says so', async () => {
    for (const url of ['http://127.0.0.1:1', 'nonsense']) {
      expect((await checkStandalone(url)).map(short)).toEqual(['failed process/reachable'])
    }
  })
})
