import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@causeway/kube'
import { loadResources, type Problem, readSourceFiles } from '@causeway/mesh-api'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requirement } from '../../../../test/requirements/requirement.ts'
import type { SourceChange } from '../source.ts'
import { type FilesSource, openFilesSource } from './files-source.ts'

let folder: string
const opened: FilesSource[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-files-'))
})
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close()
  rmSync(folder, { recursive: true })
})

const relay = (name = 'edge', keyFile?: string) =>
  object('MeshRelay', name, {
    listeners: { mcp: { port: 8080 } },
    ...(keyFile === undefined ? {} : { identity: { keyFile } }),
  })
const backend = (name: string, port = 3001) =>
  object('MeshBackend', name, { relayRefs: [{ name: 'edge' }], mcp: { url: `http://127.0.0.1:${port}/mcp` } })

function object(kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion: 'mesh.causeway.dev/v1alpha1', kind, metadata: { name }, spec })}\n---\n`
}

function file(text: string, name = 'mesh.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** A source of these paths, and what it told. */
async function open(paths: readonly string[], stateFolder?: string) {
  const changes: SourceChange[] = []
  const refused: (readonly Problem[])[] = []
  let taken = 0
  let isSynced = false
  const source = await openFilesSource({
    paths,
    load: async (files) => loadResources(await readSourceFiles(files)),
    stateFolder,
    clock: systemClock(),
    onRefused: (problems) => refused.push(problems),
    onTaken: () => taken++,
  })
  opened.push(source)
  source.start({
    changed: (change) => changes.push(change),
    synced: () => {
      isSynced = true
    },
  })
  return { source, changes, refused, taken: () => taken, isSynced: () => isSynced }
}

const described = ({ upserts, removals }: SourceChange): string[] => [
  ...upserts.map(({ resource, generation }) => `+${resource.kind} ${resource.metadata.name}@${generation}`),
  ...removals.map(({ kind, name }) => `-${kind} ${name}`),
]
const values = ({ positions }: SourceChange) =>
  Object.fromEntries([...positions].map(([kind, { value }]) => [kind, value]))

describe(`${requirement('CTL-021')} the source of files`, () => {
  it('tells all that there is, and that this is all', async () => {
    const { changes, isSynced } = await open([file(relay() + backend('a'))])
    expect(changes.map(described)).toEqual([['+MeshRelay edge@1', '+MeshBackend a@1']])
    expect(values(changes[0] as SourceChange)).toEqual({ MeshRelay: 1n, MeshBackend: 1n })
    expect(isSynced()).toBe(true)
  })

  it('tells what changes, and nothing else; a generation counts the changes of its object', async () => {
    const path = file(relay() + backend('a') + backend('b'))
    const { changes } = await open([path])
    file(relay() + backend('a', 3002) + backend('c'))
    await expect.poll(() => changes.length).toBe(2)
    expect(described(changes[1] as SourceChange)).toEqual([
      '+MeshBackend a@2',
      '+MeshBackend c@1',
      '-MeshBackend default/b',
    ])
    expect(values(changes[1] as SourceChange)).toEqual({ MeshBackend: 2n })
  })

  it('keeps the last good set while a file is broken, and says where it is broken', async () => {
    const path = file(relay() + backend('a'))
    const { source, changes, refused, taken } = await open([path])
    file(`${relay()}{kind: MeshRelay`)
    await expect.poll(() => refused.length).toBe(1)
    expect(refused[0]?.[0]).toMatchObject({ file: path, line: 3, message: expect.stringMatching(/^YAML: /) })
    file(relay() + backend('a').replace('3001', '99999'))
    await expect.poll(() => refused.length).toBe(2)
    expect(refused[1]?.[0]).toMatchObject({ file: path, line: 3, name: 'default/a', fieldPath: 'spec.mcp.url' })
    expect(source.resources.backends).toHaveLength(1)
    expect([changes.length, taken()]).toEqual([1, 0])
    file(relay() + backend('a'))
    await expect.poll(taken).toBe(1)
    expect(changes.length, 'it is as it was').toBe(1)
  })

  it('a file that goes is one that cannot be read', async () => {
    const path = file(relay())
    const { source, refused } = await open([path])
    unlinkSync(path)
    await expect.poll(() => refused.length).toBe(1)
    expect(refused[0]?.[0]).toMatchObject({ file: path, message: 'does not exist' })
    expect(source.resources.relays).toHaveLength(1)
  })

  it('does not begin with what is broken', async () => {
    await expect(open([file('kind: [')])).rejects.toThrow(/mesh\.yaml:1:8: YAML: /)
  })

  it('notices a file that is replaced, as editors do', async () => {
    const path = file(relay())
    const { changes } = await open([path])
    renameSync(file(relay() + backend('a'), '.mesh.yaml.swp'), path)
    await expect.poll(() => changes.length).toBe(2)
  })

  it('reads every file of a folder, also one that comes, and follows links as Kubernetes mounts them', async () => {
    const [first, second] = [join(folder, 'v1'), join(folder, 'v2')]
    for (const one of [first, second]) mkdirSync(one)
    writeFileSync(join(first, 'mesh.yaml'), relay())
    writeFileSync(join(second, 'mesh.yaml'), relay() + backend('a'))
    writeFileSync(join(second, 'notes.txt'), 'kind: [')
    const link = join(folder, 'data')
    symlinkSync(first, link)
    const { changes } = await open([link])
    symlinkSync(second, join(folder, 'next'))
    renameSync(join(folder, 'next'), link)
    await expect.poll(() => changes.map(described)).toEqual([['+MeshRelay edge@1'], ['+MeshBackend a@1']])
    writeFileSync(join(second, 'more.yaml'), backend('b'))
    await expect.poll(() => changes.map(described).at(2)).toEqual(['+MeshBackend b@1'])
  })

  it('does not wait for a pipe that lies in a folder', async () => {
    file(relay())
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')])
    const { changes } = await open([folder])
    expect(changes.map(described)).toEqual([['+MeshRelay edge@1']])
  })

  it('has the identity of a relay from its key file, and a new one with a new key', async () => {
    const keyFile = join(folder, 'edge.pem')
    const { peerHandle } = await createIdentityFile(keyFile)
    const { changes } = await open([file(relay('edge', 'edge.pem'))])
    expect(changes[0]?.upserts[0]?.status).toEqual({ identity: { state: 'Active', peerHandle } })
    const next = await createIdentityFile(join(folder, 'next.pem'))
    renameSync(join(folder, 'next.pem'), keyFile)
    await expect.poll(() => changes.length).toBe(2)
    expect(changes[1]?.upserts[0]).toMatchObject({
      generation: 1,
      status: { identity: { peerHandle: next.peerHandle } },
    })
    expect(JSON.stringify(changes, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      'PRIVATE',
    )
  })

  it('a key file that cannot be read is the relay’s to complain of', async () => {
    const { changes } = await open([file(relay('edge', 'gone.pem'))])
    expect(changes[0]?.upserts[0]?.status).toEqual({})
  })

  it('a list reads everything anew', async () => {
    const path = file(relay())
    const { source, changes } = await open([path])
    file(relay() + backend('a'))
    await source.relist({ signal: new AbortController().signal })
    expect(changes.map(described).at(-1)).toEqual(['+MeshBackend a@1'])
    await source.close()
    await expect(source.relist({ signal: new AbortController().signal })).rejects.toThrow('closed')
  })
})

describe('positions', () => {
  it('go on where they were, of the same source, with a folder for them', async () => {
    const [path, state] = [file(relay()), join(folder, 'state')]
    const first = await open([path], state)
    await first.source.close()
    file(relay() + backend('a'))
    const second = await open([path], state)
    const [before, after] = [first, second].map(({ changes }) => changes[0]?.positions.get('MeshRelay'))
    expect(after?.source).toEqual(before?.source)
    expect([before?.value, after?.value]).toEqual([1n, 2n])
  })

  it('what could not be kept is tried again, told once, and taken when it can', async () => {
    const [path, state] = [file(relay()), join(folder, 'state')]
    const { changes, refused, taken } = await open([path], state)
    // Nothing can be written in its place.
    mkdirSync(join(state, 'source.json.new'))
    file(relay() + backend('a'))
    await expect.poll(() => refused.length).toBe(1)
    expect(refused[0]?.[0]?.message).toMatch(/EISDIR/)
    rmSync(join(state, 'source.json.new'), { recursive: true })
    await expect.poll(taken, { timeout: 20_000 }).toBe(1)
    expect(described(changes[1] as SourceChange)).toEqual(['+MeshBackend a@1'])
    expect(refused).toHaveLength(1)
  })

  it('are those of another source without one', async () => {
    const path = file(relay())
    const [first, second] = [await open([path]), await open([path])]
    const [one, other] = [first, second].map(({ changes }) => changes[0]?.positions.get('MeshRelay')?.source)
    expect(one).toHaveLength(16)
    expect(one).not.toEqual(other)
  })

  it('what is no counter is not taken for one', async () => {
    const state = join(folder, 'state')
    await (await open([file(relay())], state)).source.close()
    const kept = readFileSync(join(state, 'source.json'), 'utf8')
    writeFileSync(join(state, 'source.json'), kept.slice(0, -5))
    await expect(open([file(relay())], state)).rejects.toThrow('is not the counter of a source')
  })
})
