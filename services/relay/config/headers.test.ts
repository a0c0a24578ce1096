import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RelayStartError } from '../contract.ts'
import { readHeaders } from './headers.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(content: string | Uint8Array): string {
  const path = join(folder, 'secret.txt')
  writeFileSync(path, content)
  return path
}

const AT = 'MeshBackend default/search: spec.mcp.headers'

async function refusal(header: object, environment = {}): Promise<RelayStartError> {
  const error: unknown = await readHeaders([{ name: 'x-key', ...header }], AT, environment).catch((reason) => reason)
  if (!(error instanceof RelayStartError)) throw new Error(`expected a RelayStartError, not ${String(error)}`)
  return error
}

describe('the headers that a backend gets', () => {
  it('come from the configuration, a file or the environment', async () => {
    const headers = [
      { name: 'authorization', valueFile: file('Bearer abc\r\n') },
      { name: 'x-tenant', value: 'a b' },
      { name: 'x-key', valueFromEnv: 'KEY' },
    ]
    expect(await readHeaders(headers, AT, { KEY: 'k', OTHER: 'o' })).toEqual(
      new Map([
        ['authorization', 'Bearer abc'],
        ['x-tenant', 'a b'],
        ['x-key', 'k'],
      ]),
    )
  })

  it('a file that is not there, is no file or is too large is named with its field', async () => {
    const gone = join(folder, 'gone')
    expect(await refusal({ valueFile: gone })).toMatchObject({
      code: 'SECRET',
      fieldPath: `${AT}[0].valueFile`,
      message: `${gone} does not exist`,
    })
    expect((await refusal({ valueFile: folder })).message).toBe(`${folder} is not a regular file`)
    expect((await refusal({ valueFile: file('x'.repeat(10_000)) })).message).toMatch(/is larger than 8256 octets$/)
  })

  it.each(['', '\n', ' hunter2', 'hunter2\nX-Other: 1\n', 'hünter2', 'hunter2\0', 'x'.repeat(8_193)])(
    '%j in a file is no value, and is not repeated',
    async (content) => {
      const { code, message } = await refusal({ valueFile: file(content) })
      expect(code).toBe('SECRET')
      expect(message).toMatch(/secret\.txt holds is no value of a header: 1 to 8192 characters of printable ASCII/)
      expect(message).not.toContain('nter2')
    },
  )

  it('an environment variable that is not set, or holds no value, is named', async () => {
    expect(await refusal({ valueFromEnv: 'KEY' })).toMatchObject({
      code: 'SECRET',
      fieldPath: `${AT}[0].valueFromEnv`,
      message: 'the environment variable KEY is not set',
    })
    const { message } = await refusal({ valueFromEnv: 'KEY' }, { KEY: 'hunter2\n' })
    expect(message).toMatch(/^the environment variable KEY is no value of a header/)
    expect(message).not.toContain('hunter2')
  })
})
