import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { clientConfig, onlyFrame, serverConfig } from '../../../test/fixtures/npamp/handshake.ts'
import { hex } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import { TLV } from '../codepoints/tlv-types.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { AAD_OCTETS, encodeHeader, HEADER_OCTETS } from '../wire/header.ts'
import { concatOctets } from '../wire/octets.ts'
import { decodeExactTlvs, encodeTlvs, type Tlv } from '../wire/tlv.ts'
import { readAuth, writeAuth } from './authenticate.ts'
import { type Sender, signCertificateVerify } from './certificate-verify.ts'
import { encodeClientHello } from './client-hello.ts'
import { finishedMac } from './finished.ts'
import { KeyedHandshake } from './keyed-handshake.ts'
import type { Selection } from './negotiate.ts'
import { AwaitClientAuth } from './server.ts'
import { Transcript } from './transcript.ts'

const SELECTION: Selection = {
  profile: PROFILE.STANDARD,
  kem: KEM.X25519MLKEM768,
  signature: SIGNATURE.ED25519,
  aead: AEAD.AES_256_GCM,
}

/** One end of a handshake whose HELLOs have crossed; all of them share the same secret and HELLOs. */
function keyed(provider: CryptoProvider, selection = SELECTION): KeyedHandshake {
  const transcript = new Transcript()
  transcript.absorbTlvs(Uint8Array.of(1, 2, 3))
  return new KeyedHandshake(provider, selection, new Uint8Array(64).fill(6), transcript)
}

const FRAME_TYPE: Readonly<Record<Sender, number>> = { server: 0x0102, client: 0x0103 }

/** An AUTH frame with any TLVs, sealed under the right keys: what only a peer could make. */
function sealing(provider: CryptoProvider, sender: Sender, tlvs: readonly Tlv[], selection = SELECTION): Uint8Array {
  const plaintext = encodeTlvs(tlvs)
  const header = encodeHeader({
    flags: 2,
    type: FRAME_TYPE[sender],
    channel: 0,
    sequence: 0n,
    payloadOctets: plaintext.length + 16,
  })
  const keys = keyed(provider, selection).traffic[sender].authKeys(selection.aead)
  return concatOctets([header, ...keys.seal(0n, header.subarray(0, AAD_OCTETS), [plaintext])])
}

/** The TLVs of a right AUTH frame of `sender`. */
function rightTlvs(provider: CryptoProvider, sender: Sender): Tlv[] {
  const { frame } = writeAuth(keyed(provider), sender, clientConfig({ provider }).identity)
  const plaintext = keyed(provider)
    .traffic[sender].authKeys(SELECTION.aead)
    .open(0n, frame.subarray(0, AAD_OCTETS), [frame.subarray(HEADER_OCTETS)])
  const types = [TLV.IDENTITY_KEY, TLV.CERT_VERIFY, TLV.FINISHED]
  const values = decodeExactTlvs(plaintext ?? new Uint8Array(0), types)
  return types.map((type, index) => ({ type, value: values[index] ?? new Uint8Array(0) }))
}

describe.each(PROVIDERS)('AUTH frames on $name', (provider) => {
  const identity = clientConfig({ provider }).identity
  const reading = (sender: Sender, octets: Uint8Array, selection = SELECTION) =>
    failure(() => readAuth(keyed(provider, selection), sender, onlyFrame(octets)))

  it.each(['client', 'server'] as const)(`${requirement('HS-005', 'HS-010')} of a %s are read back`, (sender) => {
    const written = writeAuth(keyed(provider), sender, identity)
    const read = readAuth(keyed(provider), sender, onlyFrame(written.frame))
    expect(hex(read.peerKey)).toBe(hex(identity.publicKey))
    expect(hex(read.thCv)).toBe(hex(written.thCv))
    expect(written.frame.length).toBe(194)
  })

  it.each(Object.entries(AEAD))(
    `${requirement('HS-049', 'HS-050')} are sealed with %s when that was selected`,
    (_, aead) => {
      const selection = { ...SELECTION, aead }
      const { frame } = writeAuth(keyed(provider, selection), 'server', identity)
      const open = (suite: 1 | 2) =>
        keyed(provider)
          .traffic.server.authKeys(suite)
          .open(0n, frame.subarray(0, AAD_OCTETS), [frame.subarray(HEADER_OCTETS)])
      expect(open(aead)?.length).toBe(142)
      expect(open(aead === 1 ? 2 : 1)).toBeUndefined()
      expect(reading('server', frame, selection)).toBe('none')
    },
  )

  it(`${requirement('HS-050')} of one direction do not open with the other's keys`, () => {
    const { frame } = writeAuth(keyed(provider), 'server', identity)
    const header = encodeHeader({ flags: 2, type: 0x0103, channel: 0, sequence: 0n, payloadOctets: frame.length - 36 })
    expect(reading('client', concatOctets([header, frame.subarray(HEADER_OCTETS)]))).toBe('authentication/TAG')
  })

  it(`${requirement('HS-033', 'HS-034')} continue one transcript, the server's before the client's`, () => {
    const server = keyed(provider)
    const client = keyed(provider)
    const auth = writeAuth(server, 'server', identity)
    readAuth(client, 'server', onlyFrame(auth.frame))
    const reply = writeAuth(client, 'client', identity)
    const alone = writeAuth(keyed(provider), 'client', identity)
    expect(hex(readAuth(server, 'client', onlyFrame(reply.frame)).thCv)).toBe(hex(reply.thCv))
    expect(hex(alone.thCv)).not.toBe(hex(reply.thCv))
    // A CLIENT_AUTH whose signer did not see SERVER_AUTH is one over another transcript.
    const other = keyed(provider)
    writeAuth(other, 'server', identity)
    expect(failure(() => readAuth(other, 'client', onlyFrame(alone.frame)))).toBe('authentication/CERT_VERIFY')
  })

  it(`${requirement('HS-005')} fail when a TLV is missing, surplus, repeated or out of order`, () => {
    const tlvs = rightTlvs(provider, 'server')
    expect(reading('server', sealing(provider, 'server', tlvs))).toBe('none')
    const broken: Tlv[][] = [
      [],
      [...tlvs, { type: 0x0014, value: new Uint8Array(32) }],
      [...tlvs, ...tlvs],
      tlvs.toReversed(),
    ]
    for (const [index, tlv] of tlvs.entries()) {
      broken.push(tlvs.toSpliced(index, 1), tlvs.toSpliced(index, 0, tlv))
    }
    for (const list of broken) expect(reading('server', sealing(provider, 'server', list))).toBe('malformed/TLV_LAYOUT')
  })

  it('fail when IdentityKey, CertVerify or Finished has another length', () => {
    const tlvs = rightTlvs(provider, 'server')
    for (const [index, { type, value }] of tlvs.entries()) {
      for (const wrong of [new Uint8Array(0), value.subarray(1), concatOctets([value, Uint8Array.of(0)])]) {
        const outcome = reading('server', sealing(provider, 'server', tlvs.with(index, { type, value: wrong })))
        // One octet off the front of CertVerify makes another scheme of it.
        const scheme = index === 1 && wrong.length === value.length - 1
        expect(outcome).toBe(scheme ? 'authentication/CERT_VERIFY' : 'malformed/TLV_VALUE')
      }
    }
  })

  it(`${requirement('HS-047', 'HS-048')} fail with a wrong Finished even though the signature is right`, () => {
    const tlvs = rightTlvs(provider, 'server')
    const finished = new Uint8Array(tlvs[2]?.value ?? [])
    finished[31] = (finished[31] as number) ^ 1
    const frame = sealing(provider, 'server', tlvs.with(2, { type: TLV.FINISHED, value: finished }))
    expect(reading('server', frame)).toBe('authentication/FINISHED')
  })

  it(`${requirement('HS-042')} fail when the signature is another key's`, () => {
    const tlvs = rightTlvs(provider, 'server')
    const other = serverConfig({ provider }).identity.publicKey
    const frame = sealing(provider, 'server', tlvs.with(0, { type: TLV.IDENTITY_KEY, value: other }))
    expect(reading('server', frame)).toBe('authentication/CERT_VERIFY')
  })

  it(`${requirement('HS-045')} fail when a client sends the server's own identity and signature back`, () => {
    const server = keyed(provider)
    const auth = writeAuth(server, 'server', identity)
    // The attacker is the client of this handshake: it has every key, but not the server's identity.
    const attacker = keyed(provider)
    readAuth(attacker, 'server', onlyFrame(auth.frame))
    const [id, signature] = rightTlvs(provider, 'server')
    attacker.transcript.absorbFrameType(0x0103)
    attacker.transcript.absorbTlvs(encodeTlvs([id as Tlv, signature as Tlv]))
    const key = attacker.traffic.client.finishedKey()
    const finished = finishedMac(provider, 'sha256', key, attacker.point())
    const frame = sealing(provider, 'client', [id as Tlv, signature as Tlv, { type: TLV.FINISHED, value: finished }])
    expect(failure(() => readAuth(server, 'client', onlyFrame(frame)))).toBe('authentication/CERT_VERIFY')
  })

  it(`${requirement('HS-011', 'HS-047')} do not establish a server on a signature alone`, () => {
    const handshake = keyed(provider)
    const tlvs = rightTlvs(provider, 'client')
    const frame = sealing(provider, 'client', tlvs.with(2, { type: TLV.FINISHED, value: new Uint8Array(32) }))
    const state = new AwaitClientAuth(serverConfig({ provider }), handshake)
    expect(failure(() => state.receive(onlyFrame(frame)))).toBe('authentication/FINISHED')
  })

  it('fail as a tag when they are too short to hold one', () => {
    for (const length of [0, 1, 15]) {
      const header = encodeHeader({ flags: 2, type: 0x0102, channel: 0, sequence: 0n, payloadOctets: length })
      expect(reading('server', concatOctets([header, new Uint8Array(length)]))).toBe('authentication/TAG')
    }
  })

  it('are signed over both HELLOs', () => {
    const elsewhere = new Transcript()
    elsewhere.absorbTlvs(
      encodeClientHello({ offer: { profiles: [1], kems: [2], signatures: [3], aeads: [4] }, share: new Uint8Array(3) }),
    )
    const value = signCertificateVerify(identity, 'server', elsewhere.point(provider, 'sha256'))
    const tlvs = rightTlvs(provider, 'server')
    const frame = sealing(provider, 'server', tlvs.with(1, { type: TLV.CERT_VERIFY, value }))
    expect(reading('server', frame)).toBe('authentication/CERT_VERIFY')
  })
})
