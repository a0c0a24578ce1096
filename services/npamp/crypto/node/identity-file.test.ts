import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@causeway/test/requirements'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIdentityFile, MAX_IDENTITY_FILE_OCTETS, readIdentityFile } from './identity-file.ts'
import { IdentityFileError } from './identity-file-error.ts'
import { nodeProvider } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (name: string) => join(folder, name)
const modeOf = (path: string) => statSync(path).mode & 0o777

function fileWith(content: string | Uint8Array, mode = 0o600): string {
  const path = pathOf('key.pem')
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

async function refusal(promise: Promise<unknown>): Promise<IdentityFileError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof IdentityFileError)) throw new Error(`expected an IdentityFileError, not ${String(error)}`)
  return error
}

/** PKCS#8 of the Ed25519 key whose seed is 32 zero octets. */
const ZERO_SEED_PEM = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
-----END PRIVATE KEY-----
`
const ZERO_SEED_HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'

describe('reading an identity', () => {
  it(`${requirement('PH-013')} gives the handle of the worked example for the all-zero seed`, async () => {
    const identity = await readIdentityFile(fileWith(ZERO_SEED_PEM))
    expect(identity.peerHandle).toBe(ZERO_SEED_HANDLE)
    expect(identity.algorithm).toBe('Ed25519')
    expect(identity.warnings).toEqual([])
  })

  it('gives a key that signs for that identity', async () => {
    const { key } = await readIdentityFile(fileWith(ZERO_SEED_PEM))
    const message = new TextEncoder().encode('hello')
    expect(nodeProvider().verify(key.scheme, key.publicKey, message, key.sign(message))).toBe(true)
  })

  it('takes text before and after the key, and CRLF', async () => {
    const path = fileWith(`# made by somebody\r\n\r\n${ZERO_SEED_PEM.replaceAll('\n', '\r\n')}trailing\r\n`)
    expect((await readIdentityFile(path)).peerHandle).toBe(ZERO_SEED_HANDLE)
  })

  it('follows a link, as mounted Secrets are', async () => {
    symlinkSync(fileWith(ZERO_SEED_PEM), pathOf('link.pem'))
    expect((await readIdentityFile(pathOf('link.pem'))).peerHandle).toBe(ZERO_SEED_HANDLE)
  })

  it.each([
    [0o600, 0],
    [0o400, 0],
    [0o640, 1],
    [0o604, 1],
    [0o666, 1],
  ])('mode %o: %d warnings', async (mode, count) => {
    const path = fileWith(ZERO_SEED_PEM, mode)
    const { warnings } = await readIdentityFile(path)
    expect(warnings).toHaveLength(count)
    if (count > 0) expect(warnings[0]).toContain(`${path} has mode ${mode.toString(8).padStart(4, '0')}`)
  })
})

describe('a file that is no identity', () => {
  const pem = (type: 'ed25519' | 'x25519' | 'ec' | 'ml-dsa-87') =>
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : generateKeyPairSync(type as 'ed25519').privateKey

  it.each([
    ['NOT_PEM', '', 'is not a PEM file'],
    ['NOT_PEM', 'hello', 'is not a PEM file'],
    ['NOT_PEM', Uint8Array.of(0x30, 0x2e, 0xff), 'is not a PEM file'],
    ['NOT_PRIVATE_KEY', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'holds CERTIFICATE'],
    ['DAMAGED', ZERO_SEED_PEM.replace('MC4C', 'MC5C'), 'holds a damaged private key'],
    ['DAMAGED', ZERO_SEED_PEM.slice(0, 60), 'holds a damaged private key'],
    ['TOO_LARGE', ZERO_SEED_PEM + ' '.repeat(MAX_IDENTITY_FILE_OCTETS), 'is larger than 16384 octets'],
    [
      'WRONG_ALGORITHM',
      pem('x25519').export({ format: 'pem', type: 'pkcs8' }),
      'holds a key of x25519; an identity is Ed25519',
    ],
    ['WRONG_ALGORITHM', pem('ec').export({ format: 'pem', type: 'pkcs8' }), 'holds a key of ec'],
    ['WRONG_ALGORITHM', pem('ml-dsa-87').export({ format: 'pem', type: 'pkcs8' }), 'holds a key of ml-dsa-87'],
    [
      'ENCRYPTED',
      pem('ed25519').export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'is encrypted',
    ],
    [
      'NOT_PRIVATE_KEY',
      generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }),
      'holds PUBLIC KEY, not a PKCS#8 PRIVATE KEY',
    ],
    [
      'NOT_PRIVATE_KEY',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'sec1' }),
      'holds EC PRIVATE KEY, not',
    ],
  ] as const)('%s %#', async (code, content, message) => {
    const path = fileWith(content)
    const error = await refusal(readIdentityFile(path))
    expect([error.code, error.path]).toEqual([code, path])
    expect(error.message).toContain(`${path} ${message}`)
  })

  it('is missing, a folder, a device, or not readable', async () => {
    expect(await refusal(readIdentityFile(pathOf('nothing')))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusal(readIdentityFile(folder))).toMatchObject({ code: 'NOT_A_FILE' })
    expect(await refusal(readIdentityFile('/dev/zero'))).toMatchObject({ code: 'NOT_A_FILE' })
    expect(await refusal(readIdentityFile(join(fileWith(ZERO_SEED_PEM), 'x')))).toMatchObject({ code: 'NOT_READABLE' })
  })

  it('whatever its octets are, the error is typed and does not quote them', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ maxLength: 64 }).map((text) => new TextEncoder().encode(text)),
    )
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (octets, framed) => {
        const base64 = Buffer.from(octets).toString('base64')
        const content = framed ? `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n` : octets
        const error = await refusal(readIdentityFile(fileWith(content)))
        if (base64.length > 8) expect(error.message).not.toContain(base64)
      }),
      { numRuns: 200 },
    )
  })
})

describe('making an identity', () => {
  it(`${requirement('PH-011')} a new key has a new handle`, async () => {
    const first = await createIdentityFile(pathOf('a.pem'))
    const second = await createIdentityFile(pathOf('b.pem'))
    expect(first.peerHandle).not.toBe(second.peerHandle)
  })

  it('writes what reading gives back, for the owner only', async () => {
    const made = await createIdentityFile(pathOf('a.pem'))
    const read = await readIdentityFile(pathOf('a.pem'))
    expect([read.peerHandle, read.warnings]).toEqual([made.peerHandle, []])
    expect(modeOf(pathOf('a.pem'))).toBe(0o600)
    expect(readFileSync(pathOf('a.pem'), 'latin1')).toMatch(
      /^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=]{64}\n-----END PRIVATE KEY-----\n$/,
    )
  })

  it('never overwrites unasked, not even through a dangling link', async () => {
    const made = await createIdentityFile(pathOf('a.pem'))
    expect(await refusal(createIdentityFile(pathOf('a.pem')))).toMatchObject({ code: 'EXISTS' })
    expect((await readIdentityFile(pathOf('a.pem'))).peerHandle).toBe(made.peerHandle)
    symlinkSync(pathOf('elsewhere.pem'), pathOf('link.pem'))
    expect(await refusal(createIdentityFile(pathOf('link.pem')))).toMatchObject({ code: 'EXISTS' })
    expect(existsSync(pathOf('elsewhere.pem'))).toBe(false)
  })

  it('overwrites when asked, in one step, and narrows the mode', async () => {
    writeFileSync(pathOf('a.pem'), 'old', { mode: 0o666 })
    const made = await createIdentityFile(pathOf('a.pem'), { overwrite: true })
    expect((await readIdentityFile(pathOf('a.pem'))).peerHandle).toBe(made.peerHandle)
    expect(modeOf(pathOf('a.pem'))).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['a.pem'])
  })

  it('names a place that cannot be written, and leaves nothing behind', async () => {
    expect(await refusal(createIdentityFile(pathOf('no/such/a.pem')))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusal(createIdentityFile(folder, { overwrite: true }))).toMatchObject({ code: 'NOT_WRITABLE' })
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(join(folder, '..')).filter((name) => name.endsWith('.new'))).toEqual([])
  })
})
