import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { at, mounted, problemOf, useConfigFolder } from './config-folder.test-support.ts'
import { FileReader } from './file-reader.ts'

const folder = useConfigFolder()
const FIELD = { path: 'spec.x.file', mounted: 'spec.x.secretRef' }
const sha256 = (text: string) => createHash('sha256').update(text).digest()

describe('a file that a resource names', () => {
  it('is read where it is, and under the mounts', async () => {
    const path = folder.write('a', 'text')
    const reader = folder.reader()
    expect((await reader.read(at(path), FIELD, 10)).octets.toString()).toBe('text')
    expect(await reader.read(mounted('a', sha256('text')), FIELD, 10)).toMatchObject({ path, fieldPath: FIELD.mounted })
    expect([...reader.paths]).toEqual([path])
  })

  it.each([
    ['is no file', () => folder.path('.'), 'is not a regular file'],
    ['is too large', () => folder.write('a', 'x'.repeat(11)), 'is larger than 10 octets'],
    ['is not there', () => folder.path('gone'), 'does not exist'],
  ])('that %s is unusable, by the name of its field', async (_what, path, message) => {
    const problem = await problemOf(folder.reader().read(at(path()), FIELD, 10))
    expect(problem).toMatchObject({ reason: 'FileUnusable', fieldPath: 'spec.x.file' })
    expect(problem.message.endsWith(message)).toBe(true)
  })

  it.each([
    ['is not there', (): void => {}],
    ['is another one than it was made for', (): void => void folder.write('a', 'old')],
  ])('that is mounted and %s is pending; its place is remembered', async (_what, prepare) => {
    prepare()
    const reader = folder.reader()
    const problem = await problemOf(reader.read(mounted('a', sha256('new')), FIELD, 10))
    expect(problem).toMatchObject({ reason: 'CredentialPending', fieldPath: 'spec.x.secretRef' })
    expect([...reader.paths]).toEqual([folder.path('a')])
  })

  it.each(['../a', '/etc/passwd', 'a/../../b', '.'])('is never read outside the mounts: %s', async (name) => {
    expect(await problemOf(folder.reader().read(mounted(name), FIELD, 10))).toMatchObject({ reason: 'Invalid' })
  })

  it('has an absolute path, or mounts to be under', async () => {
    expect(await problemOf(folder.reader().read(at('a'), FIELD, 10))).toMatchObject({ reason: 'Invalid' })
    expect(await problemOf(folder.reader().read(undefined, FIELD, 10))).toMatchObject({ reason: 'Invalid' })
    const without = new FileReader({ mounts: undefined })
    expect(await problemOf(without.read(mounted('a'), FIELD, 10))).toMatchObject({ reason: 'FileUnusable' })
  })
})
