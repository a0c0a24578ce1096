import { create } from '@bufbuild/protobuf'
import { type Secret, SecretSchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { at, mounted, problemOf, useConfigFolder } from './config-folder.test-support.ts'
import { headerValue } from './secret.ts'

const folder = useConfigFolder()
const AT = 'spec.mcp.headers[0]'

const secret = (source: Secret['source']): Secret => create(SecretSchema, { source })
const value = (source: Secret['source'], environment: Record<string, string> = {}) =>
  headerValue(secret(source), AT, folder.reader(), environment)
const inFile = (content: string | Uint8Array) => value({ case: 'file', value: at(folder.write('secret.txt', content)) })

describe('the value of a header that a server gets', () => {
  it('comes from the configuration, a file or the environment', async () => {
    expect(await value({ case: 'literal', value: 'a b' })).toBe('a b')
    expect(await inFile('Bearer abc\r\n')).toBe('Bearer abc')
    expect(await value({ case: 'environmentVariable', value: 'KEY' }, { KEY: 'k', OTHER: 'o' })).toBe('k')
  })

  it('in a file that is too large is told by the name of the file', async () => {
    expect(await problemOf(inFile('x'.repeat(10_000)))).toMatchObject({
      reason: 'FileUnusable',
      fieldPath: `${AT}.valueFile`,
      message: expect.stringMatching(/is larger than 8256 octets$/),
    })
  })

  it('that is mounted and not there is pending', async () => {
    expect(await problemOf(value({ case: 'file', value: mounted('gone') }))).toMatchObject({
      reason: 'CredentialPending',
      fieldPath: `${AT}.valueFrom.secretRef`,
    })
  })

  it.each(['', '\n', ' hunter2', 'hunter2\nX-Other: 1\n', 'hünter2', 'hunter2\0', 'x'.repeat(8_193)])(
    '%j in a file is none, and is not repeated',
    async (content) => {
      const { reason, message } = await problemOf(inFile(content))
      expect(reason).toBe('FileUnusable')
      expect(message).toMatch(/secret\.txt holds is no value of a header: 1 to 8192 characters of printable ASCII/)
      expect(message).not.toContain('nter2')
    },
  )

  it('in a variable that is not set, or holds none, is told by its name', async () => {
    const variable = { case: 'environmentVariable', value: 'KEY' } as const
    expect(await problemOf(value(variable))).toMatchObject({
      fieldPath: `${AT}.valueFromEnv`,
      message: 'the environment variable KEY is not set',
    })
    const { message } = await problemOf(value(variable, { KEY: 'hunter2\n' }))
    expect(message).toMatch(/^the environment variable KEY is no value of a header/)
    expect(message).not.toContain('hunter2')
  })

  it('is not left out by mistake', async () => {
    expect(await problemOf(value({ case: undefined }))).toMatchObject({ reason: 'Invalid', fieldPath: AT })
  })
})
