import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { hex, octets } from '../../../test/fixtures/npamp/hex.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { corpus } from '../../../test/fixtures/npamp/vectors.ts'
import type { HashName } from '../codepoints/profiles.ts'
import { AEAD } from '../codepoints/suites.ts'
import { concatOctets } from '../wire/octets.ts'

const SUITE = { 'AES-256-GCM': AEAD.AES_256_GCM, 'ChaCha20-Poly1305': AEAD.CHACHA20_POLY1305 } as const

interface SealInput {
  readonly suite: keyof typeof SUITE
  readonly key: string
  readonly nonce: string
  readonly aad: string
  readonly pt: string
}

type OpenInput = Omit<SealInput, 'pt'> & { readonly sealed: string }

interface ExpandInput {
  readonly hash: HashName
  readonly prk: string
  readonly info: string
  readonly length: number
}

describe.each(PROVIDERS)('published vectors of the primitives on $name', (provider) => {
  it.each(corpus<SealInput, { sealed: string }>('aead.seal'))('seals: $comment', (test) => {
    const key = provider.aead(SUITE[test.in.suite], octets(test.in.key))
    const sealed = key.seal(octets(test.in.nonce), octets(test.in.aad), [octets(test.in.pt)])
    expect(hex(concatOctets(sealed))).toBe(test.expected?.sealed)
  })

  it.each(corpus<OpenInput, { pt: string }>('aead.open'))('opens: $comment', (test) => {
    const key = provider.aead(SUITE[test.in.suite], octets(test.in.key))
    const plaintext = key.open(octets(test.in.nonce), octets(test.in.aad), [octets(test.in.sealed)])
    expect(plaintext === undefined ? undefined : hex(plaintext)).toBe(test.expected?.pt)
  })

  it.each(corpus<ExpandInput, { okm: string }>('hkdf.expand'))('expands: $comment', (test) => {
    const run = () => provider.hkdfExpand(test.in.hash, octets(test.in.prk), octets(test.in.info), test.in.length)
    if (test.result === 'invalid') expect(failure(run)).toBe('limit/LENGTH')
    else expect(hex(run())).toBe(test.expected?.okm)
  })
})
