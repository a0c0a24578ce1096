import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FILE_LIMITS } from './limits.ts'
import { ConfigurationError } from './problem.ts'
import { readSourceFiles } from './read-source-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('reading files', () => {
  it('answers octets and folder, in the order of the paths', async () => {
    const paths = ['a.yaml', 'b.yaml'].map((name) => join(folder, name))
    for (const path of paths) writeFileSync(path, `# ${path}`)
    const files = await readSourceFiles(paths)
    expect(files.map(({ name, folder: from, octets }) => [name, from, new TextDecoder().decode(octets)])).toEqual(
      paths.map((path) => [path, folder, `# ${path}`]),
    )
  })

  it('names every file that cannot be read, and the limit', async () => {
    const large = join(folder, 'large.yaml')
    writeFileSync(large, '')
    truncateSync(large, FILE_LIMITS.octets + 1)
    const error = await readSourceFiles([join(folder, 'nothing.yaml'), folder, large, '/dev/zero']).catch(
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).message.split('\n')).toEqual([
      `${folder}/nothing.yaml: does not exist`,
      `${folder}: is a folder`,
      `${large}: is larger than 4194304 octets`,
      '/dev/zero: is larger than 4194304 octets',
    ])
  })
})
