import { generateKeyPairSync } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { type McpListenerSchema, RelaySchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import { LIMITS } from '../../../test/integration/live-configuration/messages.ts'
import { at, keyPair, mounted, problemOf, useConfigFolder } from './config-folder.test-support.ts'
import { readSettings } from './settings.ts'

const folder = useConfigFolder()
const read = (fields: MessageInitShape<typeof RelaySchema>) =>
  readSettings(
    create(RelaySchema, { limits: LIMITS, ...fields } as MessageInitShape<typeof RelaySchema>),
    folder.reader(),
  )
const mcp = (fields: Partial<MessageInitShape<typeof McpListenerSchema>>) =>
  read({ mcp: { host: '127.0.0.1', port: 8080, ...fields } as MessageInitShape<typeof McpListenerSchema> })

const [one, other] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const BROKEN = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

describe('the settings of a relay', () => {
  it('have what the message says, and nothing that it does not', async () => {
    expect(await read({ admin: { host: '127.0.0.1', port: 9090 }, replica: 'edge-0' })).toMatchObject({
      replica: 'edge-0',
      admin: { host: '127.0.0.1', port: 9090 },
      limits: { maxBodyOctets: 4_194_304, drainMs: 2_000 },
      identity: { current: undefined, successor: undefined },
      npamp: undefined,
      mcp: undefined,
    })
    expect((await read({})).replica).toBeUndefined()
  })

  it('need limits', async () => {
    expect(await problemOf(readSettings(create(RelaySchema), folder.reader()))).toMatchObject({ reason: 'Invalid' })
  })
})

describe('the identity', () => {
  it('is read from its file, which others should not be able to read', async () => {
    const { peerHandle } = await createIdentityFile(folder.path('a.pem'))
    expect((await read({ identity: { key: at(folder.path('a.pem')) } })).identity.current).toMatchObject({
      peerHandle,
      warnings: [],
    })
    chmodSync(folder.path('a.pem'), 0o644)
    const { current } = (await read({ identity: { key: at(folder.path('a.pem')) } })).identity
    expect(current?.warnings[0]).toContain('has mode 0644')
    expect((await read({ identity: { key: mounted('a.pem') } })).identity.current?.warnings).toEqual([])
  })

  it('that cannot be read is told by its field', async () => {
    expect(await problemOf(read({ identity: { key: at(folder.path('gone')) } }))).toMatchObject({
      reason: 'FileUnusable',
      fieldPath: 'spec.identity.keyFile',
      message: `${folder.path('gone')} does not exist`,
    })
    const rubbish = folder.write('rubbish', 'rubbish')
    expect(await problemOf(read({ identity: { key: at(rubbish) } }))).toMatchObject({
      message: `${rubbish} is not a PEM file`,
    })
    expect(await problemOf(read({ identity: { key: mounted('gone') } }))).toMatchObject({ reason: 'CredentialPending' })
  })

  it('has a successor only when its key is at hand', async () => {
    const key = at((await createIdentityFile(folder.path('a.pem'))) && folder.path('a.pem'))
    const next = await createIdentityFile(folder.path('b.pem'))
    const successor = (peerHandle: string, file = mounted('b.pem')) => ({
      identity: { key, successor: { key: file, peerHandle, statement: Uint8Array.of(1) } },
    })
    expect((await read(successor(next.peerHandle))).identity.successor).toEqual({
      peerHandle: next.peerHandle,
      statement: Uint8Array.of(1),
    })
    expect(await problemOf(read(successor('another')))).toMatchObject({ reason: 'CredentialPending' })
    expect(await problemOf(read(successor(next.peerHandle, mounted('c.pem'))))).toMatchObject({
      reason: 'CredentialPending',
    })
  })
})

describe('certificates of listeners', () => {
  it('are read, also where certificate and key stand in one file, the key first', async () => {
    const both = folder.write('both.pem', `${one.key}\n${one.cert}`)
    const { tls } =
      (await read({ npamp: { host: '0.0.0.0', port: 7443, certificate: keyPair(both, both) } })).npamp ?? {}
    expect(tls?.mode === 'ca' && Buffer.from(tls.cert).toString()).toBe(`${one.key}\n${one.cert}`)
    expect((await read({ npamp: { host: '0.0.0.0', port: 7443 } })).npamp?.tls).toEqual({ mode: 'pinned' })
  })

  it('are those that clients must have, too', async () => {
    const certificate = keyPair(folder.write('c.pem', one.cert), folder.write('k.pem', one.key))
    const text = `# ours\r\n${one.cert.trimEnd()}\n# theirs - of old\n${other.cert}`
    const { tls } = (await mcp({ certificate, clientCa: at(folder.write('ca.pem', text)) })).mcp ?? {}
    expect(Buffer.from(tls?.clientCa ?? []).toString()).toBe(text)
    expect(await problemOf(mcp({ clientCa: at(folder.path('ca.pem')) }))).toMatchObject({ reason: 'Invalid' })
  })

  it.each([
    [
      'a key of another algorithm',
      one.cert,
      rsaKey.toString(),
      'keyFile',
      /k\.pem is not the key of the certificate in /,
    ],
    ['a key of another certificate', one.cert, other.key, 'keyFile', /k\.pem is not the key of the certificate in /],
    ['no key', one.cert, one.cert, 'keyFile', /k\.pem has no private key in it that can be used: /],
    ['no certificate', one.key, one.key, 'certFile', /c\.pem has no certificate in it$/],
    ['no PEM', 'DER', one.key, 'certFile', /c\.pem is not a PEM file$/],
    [
      'a second certificate that is broken',
      `${one.cert}\n${BROKEN}`,
      one.key,
      'certFile',
      /certificate 2 of 2 cannot be read$/,
    ],
    [
      'one that is cut off',
      `${one.cert.slice(0, 200)}\n${other.cert}`,
      other.key,
      'certFile',
      /certificate 1 of 2 cannot be read$/,
    ],
  ])('are refused with %s', async (_what, cert, key, field, message) => {
    const certificate = keyPair(folder.write('c.pem', cert), folder.write('k.pem', key))
    const problem = await problemOf(mcp({ certificate }))
    expect(problem).toMatchObject({ reason: 'FileUnusable', fieldPath: `spec.listeners.mcp.tls.${field}` })
    expect(problem.message).toMatch(message)
  })

  it('are pending where a Secret is to be mounted', async () => {
    const certificate = { certificate: mounted('listeners/mcp/tls.crt'), key: mounted('listeners/mcp/tls.key') }
    expect(await problemOf(mcp({ certificate }))).toMatchObject({
      reason: 'CredentialPending',
      fieldPath: 'spec.listeners.mcp.tls.secretRef',
    })
  })
})

describe('an mcp listener', () => {
  it('has no TLS and no URL of its own unless it says so', async () => {
    const trustedProxies = ['10.0.0.0/8']
    expect((await mcp({ trustedProxies })).mcp).toEqual({
      host: '127.0.0.1',
      port: 8080,
      tls: undefined,
      publicUrl: undefined,
      trustedProxies,
      allowedOrigins: [],
      allowedHosts: [],
    })
    expect((await mcp({ publicUrl: 'https://mcp.example/' })).mcp?.publicUrl?.host).toBe('mcp.example')
    expect(await problemOf(mcp({ publicUrl: 'mcp.example' }))).toMatchObject({
      fieldPath: 'spec.listeners.mcp.publicURL',
    })
  })
})
