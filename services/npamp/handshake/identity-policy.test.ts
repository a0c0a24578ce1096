import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { PROVIDERS } from '../../../test/fixtures/npamp/providers.ts'
import { SIGNATURE } from '../codepoints/suites.ts'
import { type IdentityPolicy, requireAcceptable } from './identity-policy.ts'

/** Digest 05 section 5.3: the key of 32 zero octets as seed. */
const ZERO_SEED_HANDLE = 'bciqj6hzzzgs3tczvxwp4d2vjttmevivmqgfkh4mh7ujkzv2gt6gg75i'

describe.each(PROVIDERS)('the identity policy on $name', (provider) => {
  const key = provider.signingKey(SIGNATURE.ED25519, new Uint8Array(32)).publicKey
  const other = provider.signingKey(SIGNATURE.ED25519, new Uint8Array(32).fill(1)).publicKey
  const judge = (policy: IdentityPolicy, judged = key) =>
    failure(() => requireAcceptable(policy, provider, SIGNATURE.ED25519, judged))

  it(`${requirement('PH-002', 'PH-003')} returns the handle of an accepted key`, () => {
    const policy: IdentityPolicy = { mode: 'acceptAny', confirmed: true }
    expect(requireAcceptable(policy, provider, SIGNATURE.ED25519, key)).toBe(ZERO_SEED_HANDLE)
  })

  it('pins exactly the handles given', () => {
    const policy: IdentityPolicy = { mode: 'pins', handles: [`b${'a'.repeat(55)}`, ZERO_SEED_HANDLE] }
    expect(judge(policy)).toBe('none')
    expect(judge(policy, other)).toBe('authentication/IDENTITY_REFUSED')
    expect(judge({ mode: 'pins', handles: [] })).toBe('authentication/IDENTITY_REFUSED')
  })

  it('compares pins case-sensitively, octet for octet', () => {
    for (const pin of [ZERO_SEED_HANDLE.toUpperCase(), ZERO_SEED_HANDLE.slice(0, -1), `${ZERO_SEED_HANDLE} `]) {
      expect(judge({ mode: 'pins', handles: [pin] })).toBe('authentication/IDENTITY_REFUSED')
    }
  })

  it('asks the caller with handle and key, and takes nothing but true for yes', () => {
    const asked: unknown[] = []
    const accept = (handle: string, offered: Uint8Array) => asked.push([handle, offered]) > 0
    expect(judge({ mode: 'allow', accept })).toBe('none')
    expect(asked).toEqual([[ZERO_SEED_HANDLE, new Uint8Array(key)]])
    expect(judge({ mode: 'allow', accept: () => false })).toBe('authentication/IDENTITY_REFUSED')
    const truthy = (() => 'yes') as unknown as () => boolean
    expect(judge({ mode: 'allow', accept: truthy })).toBe('authentication/IDENTITY_REFUSED')
  })

  it('refuses when the caller fails, and lets nobody change the key', () => {
    const fault = () => {
      throw new TypeError('list not loaded')
    }
    expect(judge({ mode: 'allow', accept: fault })).toBe('authentication/IDENTITY_REFUSED')
    const before = new Uint8Array(key)
    judge({ mode: 'allow', accept: (_, offered) => offered.fill(0).length > 0 })
    expect(key).toEqual(before)
  })

  it('accepts any identity only when that was confirmed', () => {
    expect(judge({ mode: 'acceptAny', confirmed: true }, other)).toBe('none')
    const unconfirmed = { mode: 'acceptAny', confirmed: false } as unknown as IdentityPolicy
    expect(judge(unconfirmed, other)).toBe('authentication/IDENTITY_REFUSED')
  })
})
