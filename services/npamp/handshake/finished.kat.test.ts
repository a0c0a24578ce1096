import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { vectors } from '../../../test/fixtures/npamp/vectors.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { concatOctets } from '../wire/octets.ts'
import { finishedMac, verifyFinished } from './finished.ts'

type Inputs = 'finished_key_client' | 'finished_key_server' | 'th_scv' | 'th_ccv'
interface FinishedKat {
  readonly expected: Readonly<Record<'verify_data_client' | 'verify_data_server', string>>
  readonly npamp_inputs: Readonly<Record<Inputs, string>>
  readonly rfc4231_hmac_sha256: Readonly<
    Record<'tc1' | 'tc2', Readonly<Record<'data' | 'hmac_sha256' | 'key', string>>>
  >
}

const kat = vectors<FinishedKat>('finished-kat')
const inputs = kat.npamp_inputs
const ENDS = [
  ['server', octets(inputs.finished_key_server), octets(inputs.th_scv), kat.expected.verify_data_server],
  ['client', octets(inputs.finished_key_client), octets(inputs.th_ccv), kat.expected.verify_data_client],
] as const

describe.each(PROVIDERS)('the published Finished on $name', (provider) => {
  it.each([kat.rfc4231_hmac_sha256.tc1, kat.rfc4231_hmac_sha256.tc2])('MACs as RFC 4231: $data', (test) => {
    expect(hex(provider.hmac('sha256', octets(test.key), octets(test.data)))).toBe(test.hmac_sha256)
  })

  it.each(ENDS)(`${requirement('HS-047')} the %s's MAC is over its own point`, (_, key, th, expected) => {
    const mac = finishedMac(provider, 'sha256', key, th)
    expect(hex(mac)).toBe(expected)
    expect(failure(() => verifyFinished(provider, 'sha256', key, th, mac))).toBe('none')
  })

  it.each(ENDS)(`${requirement('HS-048')} the %s's MAC fails after any octet changed`, (_, key, th, expected) => {
    for (let at = 0; at < 32; at++) {
      const changed = octets(expected)
      changed[at] = (changed[at] as number) ^ 0x80
      expect(failure(() => verifyFinished(provider, 'sha256', key, th, changed))).toBe('authentication/FINISHED')
    }
  })

  it(`${requirement('HS-047')} has HashLen octets and no other length`, () => {
    const [, key, th, expected] = ENDS[0]
    const mac = octets(expected)
    for (const wrong of [mac.subarray(0, 31), concatOctets([mac, Uint8Array.of(0)]), new Uint8Array(0)]) {
      expect(failure(() => verifyFinished(provider, 'sha256', key, th, wrong))).toBe('malformed/TLV_VALUE')
    }
    const long = finishedMac(provider, 'sha384', key, th)
    expect(long.length).toBe(48)
    expect(failure(() => verifyFinished(provider, 'sha384', key, th, long))).toBe('none')
    expect(failure(() => verifyFinished(provider, 'sha384', key, th, mac))).toBe('malformed/TLV_VALUE')
  })

  it(`${requirement('HS-048', 'REC-007')} is compared by the provider's constant-time comparison and by nothing else`, () => {
    const [, key, th, expected] = ENDS[0]
    const compared: [Uint8Array, Uint8Array][] = []
    const spy: CryptoProvider = Object.assign(Object.create(provider), {
      name: provider.name,
      hmac: (...args: Parameters<CryptoProvider['hmac']>) => provider.hmac(...args),
      equal: (a: Uint8Array, b: Uint8Array) => {
        compared.push([a, b])
        return false
      },
    })
    // The MAC is right; the comparison says no: only the comparison decides.
    expect(failure(() => verifyFinished(spy, 'sha256', key, th, octets(expected)))).toBe('authentication/FINISHED')
    expect(compared.map(([a, b]) => [hex(a), hex(b)])).toEqual([[expected, expected]])
  })
})
