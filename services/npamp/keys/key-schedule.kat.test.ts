import { createHmac } from 'node:crypto'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { corpus, vectors } from '../../../test/fixtures/npamp/vectors.ts'
import type { HashName } from '../codepoints/profiles.ts'
import { AEAD, type AeadSuite } from '../codepoints/suites.ts'
import { hkdfExpandLabel } from './expand-label.ts'
import { LABEL } from './labels.ts'
import { deriveNonce } from './nonce.ts'
import { HandshakeSecret } from './schedule.ts'
import { DIRECTION, type Direction, deriveTrafficMaterial } from './traffic.ts'

interface KeySchedule {
  readonly rfc8448_expand_label: Readonly<
    Record<'client_handshake_traffic_secret' | 'write_key' | 'write_iv' | 'finished_key', string>
  >
  readonly rfc5869_tc1: Readonly<Record<'ikm' | 'salt' | 'info' | 'prk' | 'okm', string>> & { readonly L: number }
  readonly npamp_inputs: Readonly<
    Record<'ikm_mlkem_ss' | 'ikm_x25519_ss' | 'th_kem' | 'th_ccv' | 'label_prefix', string>
  >
}

const kat = vectors<KeySchedule>('key-schedule-kat')
const TLS = kat.rfc8448_expand_label
const RFC5869 = kat.rfc5869_tc1
const KEM_SECRET = octets(kat.npamp_inputs.ikm_mlkem_ss + kat.npamp_inputs.ikm_x25519_ss)
const TH_KEM = octets(kat.npamp_inputs.th_kem)
const TH_CCV = octets(kat.npamp_inputs.th_ccv)
const PREFIX = kat.npamp_inputs.label_prefix

/** One-block HKDF-Expand-Label, written from the RFCs and proved on RFC 8448 before it judges anything. */
function oracle(prefix: string, secret: string, label: string, context: string, length: number): string {
  const name = Buffer.from(prefix + label, 'ascii')
  const value = Buffer.from(context, 'hex')
  const info = Buffer.concat([
    Buffer.from([0, length, name.length]),
    name,
    Buffer.from([value.length]),
    value,
    Buffer.from([1]),
  ])
  const block = createHmac('sha256', Buffer.from(secret, 'hex')).update(info).digest()
  return block.subarray(0, length).toString('hex')
}

describe('the oracle', () => {
  it('reproduces RFC 8448', () => {
    const secret = TLS.client_handshake_traffic_secret
    expect(oracle('tls13 ', secret, 'key', '', 16)).toBe(TLS.write_key)
    expect(oracle('tls13 ', secret, 'iv', '', 12)).toBe(TLS.write_iv)
    expect(oracle('tls13 ', secret, 'finished', '', 32)).toBe(TLS.finished_key)
  })
})

describe.each(PROVIDERS)('the published key schedule on $name', (provider) => {
  it('Extract and Expand reproduce RFC 5869', () => {
    expect(hex(provider.hkdfExtract('sha256', octets(RFC5869.salt), octets(RFC5869.ikm)))).toBe(RFC5869.prk)
    const okm = provider.hkdfExpand('sha256', octets(RFC5869.prk), octets(RFC5869.info), RFC5869.L)
    expect(hex(okm)).toBe(RFC5869.okm)
  })

  it(`${requirement('HS-026', 'HS-037')} extracts handshake_secret under a zero salt, ML-KEM secret first`, () => {
    const zeroSalt = Buffer.alloc(32)
    const expected = createHmac('sha256', zeroSalt).update(KEM_SECRET).digest('hex')
    expect(hex(new HandshakeSecret(provider, 'sha256', KEM_SECRET).octets)).toBe(expected)
  })

  it(`${requirement('HS-035', 'HS-036', 'HS-038', 'HS-039', 'HS-046')} derives the ladder as the oracle does`, () => {
    const stage = new HandshakeSecret(provider, 'sha256', KEM_SECRET)
    const secret = hex(stage.octets)
    const client = stage.traffic(DIRECTION.CLIENT_TO_SERVER, TH_KEM)
    const server = stage.traffic(DIRECTION.SERVER_TO_CLIENT, TH_KEM)
    expect(hex(client.octets)).toBe(oracle(PREFIX, secret, 'c hs', hex(TH_KEM), 32))
    expect(hex(server.octets)).toBe(oracle(PREFIX, secret, 's hs', hex(TH_KEM), 32))
    expect(hex(stage.master(TH_CCV).octets)).toBe(oracle(PREFIX, secret, 'master', hex(TH_CCV), 32))
    expect(hex(client.finishedKey())).toBe(oracle(PREFIX, hex(client.octets), 'finished', '', 32))
    expect(hex(server.finishedKey())).toBe(oracle(PREFIX, hex(server.octets), 'finished', '', 32))
  })

  it(`${requirement('HS-050', 'REC-001', 'REC-002', 'REC-003')} derives AUTH keys from 13 octets of context`, () => {
    const stage = new HandshakeSecret(provider, 'sha256', KEM_SECRET)
    for (const direction of [0, 1] as const) {
      const traffic = stage.traffic(direction, TH_KEM)
      const context = `0${direction}${'00'.repeat(8)}00010000`
      const secret = oracle(PREFIX, hex(traffic.octets), 'traffic', context, 32)
      const material = deriveTrafficMaterial(provider, 'sha256', traffic.octets, {
        direction,
        epoch: 0n,
        suite: AEAD.AES_256_GCM,
        channel: 0,
      })
      expect(hex(material.key)).toBe(oracle(PREFIX, secret, 'key', '', 32))
      expect(hex(material.iv)).toBe(oracle(PREFIX, secret, 'iv', '', 12))
      const sealed = traffic.authKeys(AEAD.AES_256_GCM).seal(0n, new Uint8Array(21), [])
      const expected = provider.aead(AEAD.AES_256_GCM, material.key).seal(material.iv, new Uint8Array(21), [])
      expect(sealed.map(hex)).toEqual(expected.map(hex))
    }
  })

  it.each(corpus<ExpandLabel, { out: string }>('hkdf.expand_label'))(
    `${requirement('HS-035', 'HS-036')} $comment`,
    (test) => {
      const { hash, secret, label, context, length } = test.in
      const run = () => hkdfExpandLabel(provider, hash, octets(secret), label, octets(context), length)
      if (test.result === 'invalid') expect(failure(run)).toBe('limit/LENGTH')
      else expect(hex(run())).toBe(test.expected?.out)
    },
  )

  it.each(corpus<DeriveTraffic, { key: string; iv: string }>('keys.derive_traffic'))(
    `${requirement('REC-001', 'REC-002', 'REC-003')} $comment`,
    (test) => {
      const { master, dir, epoch, suite, channel } = test.in
      const context = { direction: dir, epoch: BigInt(epoch), suite, channel }
      const material = deriveTrafficMaterial(provider, 'sha256', octets(master), context)
      expect({ key: hex(material.key), iv: hex(material.iv) }).toEqual(test.expected)
    },
  )
})

describe('the published nonces', () => {
  it.each(corpus<{ iv: string; seq: string }, { nonce: string }>('nonce.derive'))(
    `${requirement('REC-004')} $comment`,
    (test) => {
      const run = () => deriveNonce(octets(test.in.iv), BigInt(test.in.seq))
      if (test.result === 'invalid') expect(failure(run)).toBe('misuse/ARGUMENT')
      else expect(hex(run())).toBe(test.expected?.nonce)
    },
  )
})

describe('the label table', () => {
  it(`${requirement('HS-035')} holds every label of the specification and nothing else`, () => {
    expect(Object.values(LABEL).toSorted()).toEqual(
      [
        'c hs',
        'finished',
        'iv',
        'key',
        'master',
        'master ratchet',
        'master ratchet rekem',
        's hs',
        'traffic',
      ].toSorted(),
    )
  })
})

interface ExpandLabel {
  readonly hash: HashName
  readonly secret: string
  readonly label: string
  readonly context: string
  readonly length: number
}

interface DeriveTraffic {
  readonly master: string
  readonly dir: Direction
  readonly epoch: number
  readonly suite: AeadSuite
  readonly channel: number
}
