import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const LAUNCH = join(import.meta.dirname, 'launch.mjs')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: number | string | null | undefined
  readonly out: string
  readonly error: string
}

/** The command as a process of its own, in the test's folder. */
function causeway(args: readonly string[], nodeArgs: readonly string[] = []): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...nodeArgs, LAUNCH, ...args], { cwd: folder }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : failure.code, out, error })
    })
  })
}

describe('causeway keys', () => {
  it('generates a private file, shows its handle, and never overwrites unasked', async () => {
    const made = await causeway(['keys', 'generate', '--out', 'edge.pem'])
    expect(made).toMatchObject({ code: 0, error: '' })
    const [, handle = ''] =
      /^file {7}edge\.pem\nalgorithm {2}Ed25519\nPeerHandle (bciq[a-z2-7]{52})\n$/.exec(made.out) ?? []
    expect(handle).not.toBe('')
    expect(statSync(join(folder, 'edge.pem')).mode & 0o777).toBe(0o600)

    const shown = await causeway(['keys', 'show', 'edge.pem', '--json'])
    expect(shown).toMatchObject({ code: 0, error: '' })
    expect(JSON.parse(shown.out)).toEqual({ file: 'edge.pem', peerHandle: handle, algorithm: 'Ed25519' })

    const before = readFileSync(join(folder, 'edge.pem'), 'latin1')
    const secret = before.split('\n')[1] ?? ''
    expect(secret).toHaveLength(64)
    expect(made.out + shown.out).not.toContain(secret.slice(-20))

    const again = await causeway(['keys', 'generate', '--out', 'edge.pem'])
    expect(again).toEqual({
      code: 2,
      out: '',
      error: 'causeway: edge.pem exists already; --force replaces it, and with it this identity\n',
    })
    expect(readFileSync(join(folder, 'edge.pem'), 'latin1')).toBe(before)

    const forced = await causeway(['keys', 'generate', '--out', 'edge.pem', '--force', '--json'])
    expect(JSON.parse(forced.out)).not.toMatchObject({ peerHandle: handle })
  })

  it('says what is wrong with a key file in one line', async () => {
    writeFileSync(join(folder, 'open.pem'), 'no key', { mode: 0o644 })
    expect(await causeway(['keys', 'show', 'open.pem'])).toEqual({
      code: 2,
      out: '',
      error: 'causeway: open.pem is not a PEM file\n',
    })
    expect(await causeway(['keys', 'show', 'gone.pem'])).toMatchObject({
      code: 2,
      error: 'causeway: gone.pem does not exist\n',
    })
  })
})

describe('causeway up', () => {
  it('prints every problem as file:line:col: kind/name: field.path: message and ends with 2', async () => {
    writeFileSync(
      join(folder, 'mesh.yaml'),
      `apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: edge}
spec:
  identity: {keyFile: edge.pem}
  limits: {drain: forever}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: {name: search}
spec:
  relayRefs: [{name: edge}]
  path: /search
  transparent: {target: {backendRef: {name: search}}}
`,
    )
    expect(await causeway(['up', 'mesh.yaml'])).toEqual({
      code: 2,
      out: '',
      error: [
        'mesh.yaml:6:19: MeshRelay/default/edge: spec.limits.drain: must be a duration such as 500ms, 30s or 1h30m',
        'mesh.yaml:14:45: MeshRoute/default/search: spec.transparent.target.backendRef.name: not found or not permitted: MeshBackend default/search',
        '',
      ].join('\n'),
    })
  })

  it('names the key file that a relay cannot use and ends with 2', async () => {
    writeFileSync(join(folder, 'mesh.yaml'), relayWith('{admin: {port: 0}}'))
    const { code, out, error } = await causeway(['up', 'mesh.yaml'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toContain('MeshRelay/default/edge: spec.identity.keyFile: ')
    expect(error).toContain('edge.pem does not exist')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('runs until %s, then ends with 0', async (signal) => {
    await causeway(['keys', 'generate', '--out', 'edge.pem'])
    writeFileSync(join(folder, 'mesh.yaml'), relayWith('{admin: {port: 0}}'))
    const { child, events } = start(['up', 'mesh.yaml', '--json'])
    const started = await events.next()
    expect(started.value).toMatchObject({
      event: 'started',
      relay: 'default/edge',
      peerHandle: expect.stringMatching(/^bciq/),
    })
    expect((await events.next()).value).toEqual({ event: 'ready' })

    const { port } = (started.value as { addresses: { admin: { port: number } } }).addresses.admin
    const [health, metrics] = await Promise.all(
      ['healthz', 'metrics'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)),
    )
    expect([health?.status, metrics?.status]).toEqual([200, 200])
    expect(await metrics?.text()).toContain('# TYPE causeway_link_ops_ignored_total counter\n')

    const ended = once(child, 'exit')
    child.kill(signal)
    expect((await events.next()).value).toEqual({ event: 'stopped' })
    expect(await ended).toEqual([0, null])
  })

  it('a relay without any listener runs and ends like any other', async () => {
    await causeway(['keys', 'generate', '--out', 'edge.pem'])
    writeFileSync(join(folder, 'mesh.yaml'), relayWith('{}'))
    const { child, events } = start(['up', 'mesh.yaml', '--json'])
    expect((await events.next()).value).toMatchObject({ event: 'started', addresses: {} })
    expect((await events.next()).value).toEqual({ event: 'ready' })
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})

function relayWith(listeners: string): string {
  return `apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: edge}
spec: {identity: {keyFile: edge.pem}, listeners: ${listeners}}
`
}

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** The command while it runs, and the JSON lines that it prints. */
function start(
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): { child: ChildProcess; events: AsyncIterator<unknown> } {
  const child = spawn(process.execPath, [...nodeArgs, LAUNCH, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  return { child, events: parsed(lines) }
}

async function* parsed(lines: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const line of lines) yield JSON.parse(line)
}

describe('an old Node', () => {
  const pretend = (...properties: readonly string[]) => [
    '--import',
    `data:text/javascript,${properties.map((one) => `Object.defineProperty(process${one})`).join(';')}`,
  ]
  const OLD = ".versions,'node',{value:'20.20.2'}"

  it('is told so in one line', async () => {
    const { code, out, error } = await causeway(['--version'], pretend(OLD, ",'arch',{value:'none'}"))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toBe(`causeway needs Node 24 or newer; this is Node 20.20.2 (${process.execPath})\n`)
  })

  it.runIf(process.platform === 'linux')('goes on with the Node beside it, and ends as that does', async () => {
    expect(await causeway(['--version'], pretend(OLD))).toMatchObject({ code: 0, out: '0.1.0\n' })
    expect(await causeway(['keys', 'show', 'gone.pem'], pretend(OLD))).toMatchObject({ code: 2 })
  })

  it.runIf(process.platform === 'linux')('passes signals on to the Node beside it', async () => {
    await causeway(['keys', 'generate', '--out', 'edge.pem'])
    writeFileSync(join(folder, 'mesh.yaml'), relayWith('{admin: {port: 0}}'))
    const { child, events } = start(['up', 'mesh.yaml', '--json'], pretend(OLD))
    await events.next()
    expect((await events.next()).value).toEqual({ event: 'ready' })
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await events.next()).value).toEqual({ event: 'stopped' })
    expect(await ended).toEqual([0, null])
  })
})
