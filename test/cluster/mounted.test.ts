import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MountedVolume, mountVolume, type VolumeSource } from './mounted/volume.ts'
import { useApiCluster } from './use-api-cluster.ts'

const cluster = useApiCluster()
let folder = ''
const volumes: MountedVolume[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mounted-'))
})

afterEach(async () => {
  for (const volume of volumes.splice(0)) await volume.unmount()
  await rm(folder, { recursive: true })
})

function mount(...sources: VolumeSource[]): Promise<void> {
  const volume = mountVolume({ client: cluster().client, namespace: 'default', folder, sources })
  volumes.push(volume)
  return volume.ready
}

function secret(name: string, data: Record<string, string>): Promise<string> {
  return cluster().apply(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: data }))
}

const read = (name: string) => readFile(join(folder, name), 'utf8')

test('the files of a Secret are there when the volume is, and follow its changes all at once', async () => {
  await secret('pair', { 'tls.crt': 'certificate 1', 'tls.key': 'key 1' })
  await mount({ kind: 'Secret', name: 'pair' })
  expect([await read('tls.crt'), await read('tls.key')]).toEqual(['certificate 1', 'key 1'])
  expect(await readlink(join(folder, 'tls.crt'))).toBe('..data/tls.crt')
  const before = await readlink(join(folder, '..data'))

  await secret('pair', { 'tls.crt': 'certificate 2', 'tls.key': 'key 2' })
  await expect.poll(() => read('tls.key')).toBe('key 2')
  expect(await read('tls.crt')).toBe('certificate 2')
  expect(await readlink(join(folder, '..data'))).not.toBe(before)
  await expect.poll(() => readdir(folder)).toHaveLength(4) // ..data, the folder that it names, two links
})

test('a volume waits for what it requires, and does without what is optional until it comes', async () => {
  const mounted = mount(
    { kind: 'Secret', name: 'slot-a', items: [{ key: 'key.pem', path: 'a.pem' }] },
    { kind: 'Secret', name: 'slot-b', items: [{ key: 'key.pem', path: 'b.pem' }], optional: true },
  )
  await secret('slot-a', { 'key.pem': 'a', other: 'not projected' })
  await mounted
  expect((await readdir(folder)).filter((name) => !name.startsWith('..'))).toEqual(['a.pem'])

  await secret('slot-b', { 'key.pem': 'b' })
  await expect.poll(() => read('b.pem').catch(() => '')).toBe('b')

  await cluster().kubectl('delete', 'secret', 'slot-b')
  await expect.poll(() => readdir(folder)).not.toContain('b.pem')
  expect(await read('a.pem')).toBe('a')
})

test('a ConfigMap with text and octets is followed across a restart of the API server', async () => {
  const configMap = (text: string) =>
    cluster().apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'bundle' },
        data: { 'ca.crt': text },
        binaryData: { octets: 'AP8=' },
      }),
    )
  await configMap('one')
  await mount({ kind: 'ConfigMap', name: 'bundle' })
  expect(await readFile(join(folder, 'octets'))).toEqual(Buffer.from([0, 255]))

  await cluster().restartApiServer()
  await configMap('two')
  await expect.poll(() => read('ca.crt')).toBe('two')
})
