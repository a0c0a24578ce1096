import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TestAuthority } from '../../../test/fixtures/control/test-authority.ts'
import type { TlsMaterial } from './tls-material.ts'
import { type WatchedTls, watchTls } from './watch-tls.ts'

let authority: TestAuthority
let folder: string
const open: WatchedTls[] = []

beforeAll(async () => {
  authority = await TestAuthority.create()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-tls-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await rm(folder, { recursive: true, force: true })
})

const TIMERS = {
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms).unref(),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
}

async function watching(onChange: (material: TlsMaterial) => void = () => {}) {
  const seen: TlsMaterial[] = []
  const problems: string[] = []
  const files = { certificateChain: path('tls.crt'), key: path('tls.key'), authorities: path('ca.crt') }
  const watched = await watchTls({
    files,
    onChange: (material) => {
      onChange(material)
      seen.push(material)
    },
    onProblem: (reason) => problems.push(reason.replaceAll(folder, '')),
    timers: TIMERS,
  })
  open.push(watched)
  return { watched, seen, problems }
}

const path = (name: string) => join(folder, name)

async function write(material: TlsMaterial, into = folder): Promise<void> {
  await writeFile(join(into, 'tls.crt'), material.certificateChain)
  await writeFile(join(into, 'tls.key'), material.key)
  await writeFile(join(into, 'ca.crt'), material.authorities)
}

describe('certificates in files', () => {
  it('are read, and read again when they change; a change that is half done is not taken', async () => {
    const [first, second] = [await authority.controlPlane(), await authority.controlPlane()]
    await write(first)
    const { watched, seen, problems } = await watching()
    expect(seen).toEqual([first])
    await writeFile(path('tls.crt'), second.certificateChain)
    await expect.poll(() => problems).toEqual(['/tls.key is not the key of the certificate in /tls.crt'])
    expect(watched.current()).toEqual(first)
    await writeFile(path('tls.key'), second.key)
    await expect.poll(() => watched.current()).toEqual(second)
  })

  it('may come later, as on an empty cluster', async () => {
    const { watched, seen, problems } = await watching()
    expect([watched.current(), problems]).toEqual([undefined, ['/tls.crt cannot be read: ENOENT']])
    const material = await authority.controlPlane()
    await write(material)
    await expect.poll(() => seen).toEqual([material])
  })

  it('that are mounted by a kubelet change as a whole, by a link', async () => {
    const [first, second] = [await authority.controlPlane(), await authority.controlPlane()]
    for (const [name, material] of [
      ['..1', first],
      ['..2', second],
    ] as const) {
      await mkdir(path(name))
      await write(material, path(name))
    }
    await symlink('..1', path('..data'))
    for (const name of ['tls.crt', 'tls.key', 'ca.crt']) await symlink(`..data/${name}`, path(name))
    const { seen } = await watching()
    await symlink('..2', path('..next'))
    await rename(path('..next'), path('..data'))
    await expect.poll(() => seen).toEqual([first, second])
  })

  it.each([
    ['tls.crt', 'no certificate', '/tls.crt is not PEM that can be used'],
    ['tls.key', 'no key', '/tls.key is not PEM that can be used'],
    ['ca.crt', '', '/ca.crt is not PEM that can be used'],
    ['ca.crt', 'x'.repeat(1024 * 1024 + 1), '/ca.crt has more than 1048576 octets'],
  ])('%s that cannot be used is named, without what it holds', async (name, text, problem) => {
    await write(await authority.controlPlane())
    await writeFile(path(name), text)
    expect((await watching()).problems).toEqual([problem])
  })

  it('that their user refuses leave the last ones', async () => {
    await write(await authority.controlPlane())
    const { watched, problems } = await watching(() => {
      throw new Error('no')
    })
    expect([watched.current(), problems]).toEqual([undefined, ['the certificates cannot be used: Error: no']])
  })
})
