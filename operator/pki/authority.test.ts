import { X509Certificate } from 'node:crypto'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { issueLeaf, type KeyPair, mintAuthority } from './authority.ts'
import { bundleDigest, bundleOf } from './bundle.ts'
import { type CertificateFacts, factsOf, isIssuedBy, nameText } from './facts.ts'
import { controlPlaneSubject, relaySubject } from './names.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 11, 1, 4)
const DAY = { nowMs: NOW_MS, lifeMs: 24 * HOUR_MS }
const YEAR = { nowMs: NOW_MS, lifeMs: 365 * 24 * HOUR_MS }

const RELAY = { trustDomain: 'causeway.local', namespace: 'shop', name: 'edge', uid: '1111-2222' }

function facts(pair: KeyPair): CertificateFacts {
  const found = factsOf(pair)
  if (found === undefined) throw new Error('not readable')
  return found
}

describe('an authority', () => {
  it('is ECDSA on P-256, may sign certificates and nothing below it may', async () => {
    const { certificate } = await mintAuthority(YEAR)
    const x509 = new X509Certificate(certificate)
    expect(x509.ca).toBe(true)
    expect(x509.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect(x509.verify(x509.publicKey)).toBe(true)
    expect(x509.subject).toMatch(/^CN=causeway authority [0-9a-f]{12}$/)
  })

  it('is never the same twice', async () => {
    const [one, other] = [await mintAuthority(YEAR), await mintAuthority(YEAR)]
    expect(facts(one).fingerprint).not.toBe(facts(other).fingerprint)
    expect(new X509Certificate(one.certificate).subject).not.toBe(new X509Certificate(other.certificate).subject)
  })
})

describe('a leaf', () => {
  it('says which relay it is, in two URIs, and begins five minutes back', async () => {
    const authority = await mintAuthority(YEAR)
    const leaf = await issueLeaf(authority, relaySubject(RELAY), DAY)
    const read = facts(leaf)
    expect(read.names).toEqual(['url:causeway:uid:1111-2222', 'url:spiffe://causeway.local/ns/shop/relay/edge'])
    expect(read.names).toEqual(relaySubject(RELAY).names.map(nameText).sort())
    expect([read.notBeforeMs, read.notAfterMs]).toEqual([NOW_MS - 5 * 60_000, NOW_MS + 24 * HOUR_MS])
    expect(new X509Certificate(leaf.certificate).ca).toBe(false)
    expect(isIssuedBy(read, facts(authority))).toBe(true)
    expect(isIssuedBy(read, facts(await mintAuthority(YEAR)))).toBe(false)
  })

  it('never ends after its authority', async () => {
    const authority = await mintAuthority({ nowMs: NOW_MS, lifeMs: HOUR_MS })
    const leaf = await issueLeaf(authority, relaySubject(RELAY), DAY)
    expect(facts(leaf).notAfterMs).toBe(facts(authority).notAfterMs)
  })

  it('is refused where its key is another, or a text is damaged', async () => {
    const authority = await mintAuthority(YEAR)
    const [one, other] = await Promise.all([1, 2].map(() => issueLeaf(authority, relaySubject(RELAY), DAY)))
    expect(factsOf({ certificate: one?.certificate ?? '', key: other?.key ?? '' })).toBeUndefined()
    expect(factsOf({ certificate: 'no', key: one?.key ?? '' })).toBeUndefined()
    expect(factsOf({ certificate: one?.certificate ?? '', key: '' })).toBeUndefined()
  })

  it('of a relay and of the control plane know each other over TLS by the bundle', async () => {
    const today = { nowMs: Date.now(), lifeMs: HOUR_MS }
    const [old, young] = [await mintAuthority(today), await mintAuthority(today)]
    const bundle = bundleOf([facts(young), facts(old)])
    const server = await issueLeaf(young, controlPlaneSubject('causeway-system'), today)
    const client = await issueLeaf(old, relaySubject(RELAY), today)
    const names = await handshake(server, client, bundle, 'causeway-control-plane.causeway-system.svc')
    expect(names).toContain('URI:spiffe://causeway.local/ns/shop/relay/edge')
    await expect(handshake(server, server, bundle, 'another.causeway-system.svc')).rejects.toThrow(/altnames/)
  })
})

describe('the bundle', () => {
  it('has each authority once, in order', async () => {
    const [one, other] = [facts(await mintAuthority(YEAR)), facts(await mintAuthority(YEAR))]
    expect(bundleOf([one, other, one])).toBe(one.certificate + other.certificate)
    expect(bundleDigest(bundleOf([one]))).toMatch(/^[0-9a-f]{64}$/)
  })
})

/** The client's names as the server saw them. */
async function handshake(server: KeyPair, client: KeyPair, ca: string, servername: string): Promise<string> {
  const listener = createServer({ cert: server.certificate, key: server.key, ca, requestCert: true })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const seen = new Promise<string>((resolve, reject) => {
      listener.once('secureConnection', (socket: TLSSocket) => {
        resolve(socket.getPeerX509Certificate()?.subjectAltName ?? '')
        socket.end()
      })
      listener.once('tlsClientError', reject)
    })
    const socket = connect({ port, host: '127.0.0.1', servername, cert: client.certificate, key: client.key, ca })
    const failed = new Promise<never>((_, reject) => socket.once('error', reject))
    socket.resume()
    return await Promise.race([seen, failed]).finally(() => socket.destroy())
  } finally {
    listener.close()
  }
}
