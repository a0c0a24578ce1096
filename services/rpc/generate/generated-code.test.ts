import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BASELINE_FILE, buf, GENERATED_FOLDER, generatedCode, PROTO_FOLDER, textsOf } from './generated-code.ts'

it('what is committed is what proto/ says; else run `npm run generate`', async () => {
  expect(await textsOf(GENERATED_FOLDER)).toEqual(await generatedCode())
})

it('proto/ keeps the rules of buf', async () => {
  expect(await buf('lint')).toBe('')
})

it('nothing that somebody may rely on was broken since the baseline', async () => {
  expect(await buf('breaking', '--against', BASELINE_FILE)).toBe('')
})

describe('a changed protocol', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-proto-'))
    await cp(PROTO_FOLDER, folder, { recursive: true })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('that gives a field another number is told as broken', async () => {
    const file = join(folder, 'causeway/config/v1/position.proto')
    await writeFile(file, (await readFile(file, 'utf8')).replace('uint64 value = 2;', 'uint64 value = 3;'))
    await expect(buf('breaking', folder, '--against', BASELINE_FILE)).rejects.toThrow('field "2"')
  })
})
