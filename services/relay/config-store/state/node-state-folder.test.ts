import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStateFolder } from './node-state-folder.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-state-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a folder on the disk', () => {
  it('is made where it is not there, for its owner only', async () => {
    const folder = await openStateFolder(join(root, 'a/b'))
    await folder.replace('file', [Buffer.from('x')])
    const modes = await Promise.all(
      ['a/b', 'a/b/file'].map(async (path) => (await stat(join(root, path))).mode & 0o777),
    )
    expect(modes).toEqual([0o700, 0o600])
  })

  it('gives what was written to a file, in pieces and in place', async () => {
    const folder = await openStateFolder(root)
    expect(await folder.read('file', 10)).toBeUndefined()
    await folder.replace('file', [Buffer.from('hello '), Buffer.from('world')])
    const file = await folder.open('file')
    await file.write(Buffer.from('WORLD!'), 6)
    await file.truncate(11)
    await file.close()
    expect((await folder.read('file', 11))?.toString()).toBe('hello WORLD')
    await folder.rename('file', 'other')
    expect(await readdir(root)).toEqual(['other'])
  })

  it('does not read a file beyond the limit', async () => {
    const folder = await openStateFolder(root)
    await writeFile(join(root, 'file'), 'x'.repeat(11))
    await expect(folder.read('file', 10)).rejects.toThrow('has 11 octets; at most 10 are read')
  })

  it('keeps the old file, and nothing else, when a new one cannot be made whole', async () => {
    const folder = await openStateFolder(root)
    await folder.replace('file', [Buffer.from('old')])
    const pieces = function* () {
      yield Buffer.from('new')
      throw new Error('no more')
    }
    await expect(folder.replace('file', pieces())).rejects.toThrow('no more')
    expect([await readdir(root), await readFile(join(root, 'file'), 'utf8')]).toEqual([['file'], 'old'])
  })

  it('that cannot be made is an error of whoever asks', async () => {
    await writeFile(join(root, 'file'), '')
    await chmod(root, 0o700)
    await expect(openStateFolder(join(root, 'file/state'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })
})
