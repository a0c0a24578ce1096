import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { serverConfig } from '../../../test/fixtures/npamp/handshake.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import { clientOffer, serverRules } from './offer.ts'

const { STANDARD, HIGH, SOVEREIGN } = PROFILE
const BOTH = Object.values(AEAD)
const STANDARD_RULES = { profiles: [STANDARD], signature: SIGNATURE.ED25519, aeads: [AEAD.AES_256_GCM] } as const

describe('clientOffer', () => {
  it('offers one KEM, the floor of the highest profile, and the scheme of the identity', () => {
    expect(clientOffer(STANDARD_RULES)).toEqual({
      profiles: [STANDARD],
      kems: [KEM.X25519MLKEM768],
      signatures: [SIGNATURE.ED25519],
      aeads: [AEAD.AES_256_GCM],
    })
    const mixed = clientOffer({ ...STANDARD_RULES, profiles: [STANDARD, HIGH], aeads: BOTH })
    expect(mixed.kems).toEqual([KEM.X25519MLKEM1024])
    expect(mixed.profiles).toEqual([STANDARD, HIGH])
  })

  it(`${requirement('HS-018', 'HS-019')} sends no share that its highest profile does not permit`, () => {
    const sovereign = { profiles: [SOVEREIGN], signature: SIGNATURE.ML_DSA_87, aeads: BOTH } as const
    expect(failure(() => clientOffer({ ...sovereign, kem: KEM.X25519MLKEM768 }))).toBe('misuse/ARGUMENT')
    expect(failure(() => clientOffer({ ...STANDARD_RULES, kem: KEM.X25519MLKEM1024 }))).toBe('misuse/ARGUMENT')
    const allowed = clientOffer({ ...STANDARD_RULES, kem: KEM.X25519MLKEM1024, allowKem1024AtStandard: true })
    expect(allowed.kems).toEqual([KEM.X25519MLKEM1024])
  })

  it(`${requirement('HS-020')} offers no profile that its identity cannot serve`, () => {
    const offering = (profile: 1 | 2 | 3, signature: 0x0807 | 0x0905) =>
      failure(() => clientOffer({ profiles: [profile], signature, aeads: BOTH }))
    expect(offering(STANDARD, SIGNATURE.ML_DSA_87)).toBe('misuse/ARGUMENT')
    expect(offering(SOVEREIGN, SIGNATURE.ED25519)).toBe('misuse/ARGUMENT')
    expect(offering(HIGH, SIGNATURE.ED25519)).toBe('none')
    expect(offering(HIGH, SIGNATURE.ML_DSA_87)).toBe('none')
  })

  it(`${requirement('HS-021', 'HS-022')} needs one AEAD at Standard and both above`, () => {
    expect(failure(() => clientOffer({ ...STANDARD_RULES, aeads: [] }))).toBe('misuse/ARGUMENT')
    for (const profile of [HIGH, SOVEREIGN]) {
      const base = { profiles: [profile], signature: SIGNATURE.ML_DSA_87 }
      expect(failure(() => clientOffer({ ...base, aeads: [AEAD.AES_256_GCM] }))).toBe('misuse/ARGUMENT')
      expect(failure(() => clientOffer({ ...base, aeads: BOTH }))).toBe('none')
    }
  })

  it('needs a profile', () => {
    expect(failure(() => clientOffer({ ...STANDARD_RULES, profiles: [] }))).toBe('misuse/ARGUMENT')
  })
})

describe('serverRules', () => {
  it(`${requirement('HS-022')} needs an AEAD`, () => {
    expect(failure(() => serverRules(serverConfig({ aeads: [] })))).toBe('misuse/ARGUMENT')
  })

  it('does not allow 0x11ED at Standard unless told', () => {
    expect(serverRules(serverConfig()).allowKem1024AtStandard).toBe(false)
    expect(serverRules(serverConfig({ allowKem1024AtStandard: true })).allowKem1024AtStandard).toBe(true)
  })
})
