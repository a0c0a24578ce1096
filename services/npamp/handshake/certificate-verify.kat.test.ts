import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { vectors } from '../../../test/fixtures/npamp/vectors.ts'
import { SIGNATURE } from '../codepoints/suites.ts'
import { concatOctets } from '../wire/octets.ts'
import {
  certificateVerifyInput,
  type Sender,
  signCertificateVerify,
  verifyCertificateVerify,
} from './certificate-verify.ts'

type Names = `${'client' | 'server'}_${'seed' | 'pub'}` | 'th_sid' | 'th_cid'
interface CertVerifyKat {
  readonly contexts: Readonly<Record<Sender, string>>
  readonly expected: Readonly<
    Record<`${'certverify_value' | 'signature' | 'signing_input'}_${'client' | 'server'}`, string>
  >
  readonly npamp_inputs: Readonly<Record<Names, string>>
  readonly rfc8032_ed25519: Readonly<
    Record<'test1' | 'test2', Readonly<Record<'message' | 'public_key' | 'seed' | 'signature', string>>>
  >
}

const kat = vectors<CertVerifyKat>('certverify-kat')
const SENDERS = ['client', 'server'] as const
const TH: Readonly<Record<Sender, Uint8Array>> = {
  client: octets(kat.npamp_inputs.th_cid),
  server: octets(kat.npamp_inputs.th_sid),
}

describe.each(PROVIDERS)('the published CertVerify on $name', (provider) => {
  const keyOf = (sender: Sender) => provider.signingKey(SIGNATURE.ED25519, octets(kat.npamp_inputs[`${sender}_seed`]))
  const check = (sender: Sender, value: Uint8Array, transcriptHash = TH[sender]) =>
    failure(() =>
      verifyCertificateVerify(provider, {
        sender,
        scheme: SIGNATURE.ED25519,
        publicKey: octets(kat.npamp_inputs[`${sender}_pub`]),
        transcriptHash,
        value,
      }),
    )

  it.each([kat.rfc8032_ed25519.test1, kat.rfc8032_ed25519.test2])(
    `${requirement('HS-052')} signs as RFC 8032: "$message"`,
    (test) => {
      const key = provider.signingKey(SIGNATURE.ED25519, octets(test.seed))
      expect(hex(key.publicKey)).toBe(test.public_key)
      expect(hex(key.sign(octets(test.message)))).toBe(test.signature)
    },
  )

  it.each(SENDERS)(`${requirement('HS-040', 'HS-041', 'HS-042')} the %s signs the published input`, (sender) => {
    const input = certificateVerifyInput(sender, TH[sender])
    expect(hex(input)).toBe(kat.expected[`signing_input_${sender}`])
    const context = concatOctets([Buffer.from(kat.contexts[sender], 'ascii'), Uint8Array.of(0)])
    expect(hex(input.subarray(64, 64 + context.length))).toBe(hex(context))
  })

  it.each(SENDERS)(`${requirement('HS-043')} the %s's value is the scheme, then the bare signature`, (sender) => {
    const value = signCertificateVerify(keyOf(sender), sender, TH[sender])
    expect(hex(value)).toBe(kat.expected[`certverify_value_${sender}`])
    expect(check(sender, value)).toBe('none')
  })

  it(`${requirement('HS-045')} fails when one role's signature is reflected as the other's`, () => {
    // Same key and same hash: only the role's context differs.
    const value = signCertificateVerify(keyOf('server'), 'client', TH.server)
    expect(check('server', value)).toBe('authentication/CERT_VERIFY')
  })

  it(`${requirement('HS-042')} fails over another transcript point`, () => {
    const value = octets(kat.expected.certverify_value_server)
    expect(check('server', value, TH.client)).toBe('authentication/CERT_VERIFY')
  })

  it(`${requirement('HS-044')} fails under a scheme that was not negotiated`, () => {
    const value = octets(kat.expected.certverify_value_server)
    value.set([SIGNATURE.ML_DSA_87 >>> 8, SIGNATURE.ML_DSA_87 & 0xff])
    expect(check('server', value)).toBe('authentication/CERT_VERIFY')
    value.set([0x00, 0x00])
    expect(check('server', value)).toBe('authentication/CERT_VERIFY')
  })

  it('fails for a value of every other length', () => {
    const value = octets(kat.expected.certverify_value_server)
    for (let length = 0; length < value.length; length++) {
      expect(check('server', value.subarray(0, length))).toBe('malformed/TLV_VALUE')
    }
    expect(check('server', concatOctets([value, Uint8Array.of(0)]))).toBe('malformed/TLV_VALUE')
  })

  it('fails after any octet of the signature changed', () => {
    const value = octets(kat.expected.certverify_value_server)
    for (let at = 2; at < value.length; at++) {
      const changed = new Uint8Array(value)
      changed[at] = (changed[at] as number) ^ 0x01
      expect(check('server', changed)).toBe('authentication/CERT_VERIFY')
    }
  })
})

describe.each(PROVIDERS)('ML-DSA-87 CertVerify on $name', (provider) => {
  it(`${requirement('HS-043', 'HS-044', 'HS-052')} is 4629 octets and verifies under its own scheme only`, () => {
    const key = provider.signingKey(SIGNATURE.ML_DSA_87, new Uint8Array(32).fill(1))
    const value = signCertificateVerify(key, 'client', TH.client)
    const base = { sender: 'client', publicKey: key.publicKey, transcriptHash: TH.client, value } as const
    expect(value.length).toBe(4629)
    expect(failure(() => verifyCertificateVerify(provider, { ...base, scheme: SIGNATURE.ML_DSA_87 }))).toBe('none')
    expect(failure(() => verifyCertificateVerify(provider, { ...base, scheme: SIGNATURE.ED25519 }))).toBe(
      'authentication/CERT_VERIFY',
    )
  })
})
