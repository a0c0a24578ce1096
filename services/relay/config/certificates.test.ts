import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import { readCertificates, readKeyPair } from './certificates.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const { cert, key } = await mintCertificate('localhost')
const other = await mintCertificate('localhost')
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const rsaKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

describe('a certificate and its key', () => {
  it('are read, also where both stand in one file, the key first', async () => {
    const both = file('both.pem', `${key}\n${cert}`)
    const pair = await readKeyPair({ certFile: both, keyFile: both }, 'spec.tls')
    expect(Buffer.from(pair.cert).toString()).toBe(`${key}\n${cert}`)
  })

  it.each([
    ['of another algorithm', rsaKey],
    ['of the same algorithm', other.key],
  ])('are refused where the key is of another certificate, %s', async (_which, otherKey) => {
    const files = { certFile: file('c.pem', cert), keyFile: file('k.pem', otherKey) }
    await expect(readKeyPair(files, 'spec.tls')).rejects.toMatchObject({
      code: 'CERTIFICATE_FILE',
      fieldPath: 'spec.tls.keyFile',
      message: `${files.keyFile} is not the key of certFile`,
    })
  })

  it('are refused where the key file has no key', async () => {
    const files = { certFile: file('c.pem', cert), keyFile: file('k.pem', cert) }
    await expect(readKeyPair(files, 'spec.tls')).rejects.toMatchObject({
      fieldPath: 'spec.tls.keyFile',
      message: expect.stringContaining(`${files.keyFile} has no private key in it that can be used: `),
    })
  })
})

describe('a bundle of certificates', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

  it('is taken as it is, with the words between them', async () => {
    const text = `# ours\r\n${cert.trimEnd()}\n# theirs - of old\n${other.cert}`
    expect(Buffer.from(await readCertificates(file('ca.pem', text), 'spec.caFile')).toString()).toBe(text)
  })

  it.each([
    ['of nothing but a key', key, 'has no certificate in it'],
    ['with one that is broken', `${cert}\n${broken}`, ': certificate 2 of 2 cannot be read'],
    ['with one that is cut off', `${other.cert}\n${cert.slice(0, 200)}`, ': certificate 2 of 2 cannot be read'],
    [
      'with one that is cut off before another',
      `${cert.slice(0, 200)}\n${other.cert}`,
      ': certificate 1 of 2 cannot be read',
    ],
  ])('%s is refused', async (_what, text, message) => {
    const path = file('ca.pem', text)
    await expect(readCertificates(path, 'spec.caFile')).rejects.toMatchObject({
      code: 'CERTIFICATE_FILE',
      fieldPath: 'spec.caFile',
      message: expect.stringContaining(`${path}${message.startsWith(':') ? '' : ' '}${message}`),
    })
  })
})
