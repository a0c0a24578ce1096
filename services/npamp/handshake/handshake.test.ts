import { createHash } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { clientConfig, completeHandshake, onlyFrame, serverConfig } from '../../../test/fixtures/npamp/handshake.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDER_PAIRS, seededNoble } from '../../../test/fixtures/npamp/providers.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { peerHandle } from '../discovery/peer-handle.ts'
import { concatOctets } from '../wire/octets.ts'
import { decodeClientHello } from './client-hello.ts'
import { decodeServerHello } from './server-hello.ts'

const handleOf = (provider: CryptoProvider, key: Uint8Array) =>
  peerHandle(SIGNATURE.ED25519, key, (data) => provider.hash('sha256', data))

describe.each(PROVIDER_PAIRS)('a Standard handshake, $name', ({ one, other }) => {
  const client = clientConfig({ provider: one })
  const server = serverConfig({ provider: other })
  const done = completeHandshake(client, server)

  it(`${requirement('HS-026', 'HS-038', 'HS-039')} gives both ends the same master and the same TH_cCV`, () => {
    expect(hex(done.client.master.octets)).toBe(hex(done.server.master.octets))
    expect(hex(done.client.thCcv)).toBe(hex(done.server.thCcv))
    expect(done.client.master.octets.length).toBe(32)
  })

  it('tells each end who the other is', () => {
    expect(hex(done.client.peerKey)).toBe(hex(server.identity.publicKey))
    expect(hex(done.server.peerKey)).toBe(hex(client.identity.publicKey))
    expect(done.client.peerHandle).toBe(handleOf(one, server.identity.publicKey))
    expect(done.server.peerHandle).toBe(handleOf(one, client.identity.publicKey))
  })

  it('agrees on profile, KEM, signature and AEAD', () => {
    const agreed = {
      profile: PROFILE.STANDARD,
      kem: KEM.X25519MLKEM768,
      signature: SIGNATURE.ED25519,
      aead: AEAD.AES_256_GCM,
    }
    expect(done.client).toMatchObject(agreed)
    expect(done.server).toMatchObject(agreed)
  })

  it.each(Object.entries(AEAD))(`${requirement('HS-022', 'HS-049')} runs with %s alone`, (_, aead) => {
    const only = completeHandshake({ ...client, aeads: [aead] }, server)
    expect([only.client.aead, only.server.aead]).toEqual([aead, aead])
    expect(hex(only.client.master.octets)).toBe(hex(only.server.master.octets))
  })

  it(`${requirement('HS-025')} runs with 0x11ED at Standard where both ends allow it`, () => {
    const changes = { allowKem1024AtStandard: true, aeads: [AEAD.AES_256_GCM] }
    const strong = completeHandshake({ ...client, ...changes, kem: KEM.X25519MLKEM1024 }, { ...server, ...changes })
    expect([strong.client.kem, strong.server.kem]).toEqual([KEM.X25519MLKEM1024, KEM.X25519MLKEM1024])
    expect(strong.flights.clientHello.length).toBe(1663)
    expect(strong.flights.serverHello.length).toBe(1663)
  })
})

describe('the four frames', () => {
  const aeads = [AEAD.AES_256_GCM]
  const { flights, client } = completeHandshake(clientConfig({ aeads }), serverConfig({ aeads }))
  const octets = [flights.clientHello, flights.serverHello, flights.serverAuth, flights.clientAuth]
  const [clientHello, serverHello, serverAuth, clientAuth] = octets.map(onlyFrame)

  it(`${requirement('HS-001')} are 0x0100 to 0x0103 on Control, each with sequence 0`, () => {
    const headers = [clientHello, serverHello, serverAuth, clientAuth].map((frame) => frame?.header)
    expect(headers.map((header) => [header?.type, header?.channel, header?.sequence])).toEqual([
      [0x0100, 0, 0n],
      [0x0101, 0, 0n],
      [0x0102, 0, 0n],
      [0x0103, 0, 0n],
    ])
  })

  it(`${requirement('HS-002')} are clear, clear, sealed, sealed`, () => {
    const flags = [clientHello, serverHello, serverAuth, clientAuth].map((frame) => frame?.header.flags)
    expect(flags).toEqual([0, 0, 2, 2])
  })

  it(`${requirement('HS-010')} have the sizes of the digest: no fifth frame, Finished inside AUTH`, () => {
    expect(octets.map(({ length }) => length)).toEqual([1279, 1183, 194, 194])
  })

  it(`${requirement('HS-023', 'HS-024')} carry a share of 1216 and a ciphertext of 1120 octets`, () => {
    expect(decodeClientHello(clientHello?.payload ?? NOTHING).share.length).toBe(1216)
    expect(decodeServerHello(serverHello?.payload ?? NOTHING).ciphertext.length).toBe(1120)
  })

  it(`${requirement('HS-002')} show no identity in clear`, () => {
    const wire = hex(concatOctets(octets))
    for (const config of [clientConfig(), serverConfig()]) expect(wire).not.toContain(hex(config.identity.publicKey))
  })

  it('use fresh keys each time', () => {
    const again = completeHandshake(clientConfig({ aeads }), serverConfig({ aeads }))
    expect(hex(again.flights.clientHello)).not.toBe(hex(flights.clientHello))
    expect(hex(again.client.master.octets)).not.toBe(hex(client.master.octets))
  })
})

/** SHA-256 of each flight, and TH_cCV: whatever changes them changes the wire. */
const STABLE = {
  clientHello: '03aa115872036144ef28f34e179efcec20e777051f0a0b59df024a0c56ab89c4',
  serverHello: '612591883f92aa5056d2a1a5207c6653c2d19475ae56f0adb4fe8ac1d9ebbe11',
  serverAuth: '1ae3445d106c5e297c7179a22703ce9dc342a2e495242fb2aa4ddc82aa1bd8dc',
  clientAuth: 'fc18455c391616ecc19a6fa371100bb734452f4d8d23f808ec19604f5efa4d26',
  thCcv: '96cd40e695e9e382a901c6aa9f3afe540dcd96b8d6ded3213559eaa0aca2855f',
}

describe('a handshake on seeded randomness', () => {
  it('has the same flights, octet for octet, every time', () => {
    const { flights, client } = completeHandshake(
      clientConfig({ provider: seededNoble('the client of the stable handshake') }),
      serverConfig({ provider: seededNoble('the server of the stable handshake') }),
    )
    expect({
      clientHello: sha256(flights.clientHello),
      serverHello: sha256(flights.serverHello),
      serverAuth: sha256(flights.serverAuth),
      clientAuth: sha256(flights.clientAuth),
      thCcv: hex(client.thCcv),
    }).toEqual(STABLE)
  })
})

const NOTHING = new Uint8Array(0)

function sha256(octets: Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex')
}
