import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { corpus } from '../../../test/fixtures/npamp/vectors.ts'
import { PROFILE, PROFILES, type ProfileCode } from '../codepoints/profiles.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import type { Offer } from './client-hello.ts'
import { acceptSelection, candidateProfiles, permitsKem, type ServerRules, selectAt } from './negotiate.ts'
import type { SelectedCodes } from './server-hello.ts'

const { STANDARD, HIGH, SOVEREIGN } = PROFILE
const { X25519MLKEM768, X25519MLKEM1024 } = KEM
const { ED25519, ML_DSA_87 } = SIGNATURE
const { AES_256_GCM, CHACHA20_POLY1305 } = AEAD
const UNKNOWN = 0x7a7a

const STANDARD_OFFER: Offer = {
  profiles: [STANDARD],
  kems: [X25519MLKEM768],
  signatures: [ED25519],
  aeads: [AES_256_GCM],
}
const STRONG_OFFER: Offer = {
  profiles: [STANDARD, HIGH, SOVEREIGN],
  kems: [X25519MLKEM1024],
  signatures: [ML_DSA_87, ED25519],
  aeads: [CHACHA20_POLY1305, AES_256_GCM],
}

const offer = (changes: Partial<Offer> = {}): Offer => ({ ...STANDARD_OFFER, ...changes })
const strong = (changes: Partial<Offer> = {}): Offer => ({ ...STRONG_OFFER, ...changes })
const rules = (changes: Partial<ServerRules> = {}): ServerRules => ({
  minimumProfile: STANDARD,
  signature: ED25519,
  aeads: [AES_256_GCM, CHACHA20_POLY1305],
  allowKem1024AtStandard: false,
  ...changes,
})

describe('candidateProfiles', () => {
  it(`${requirement('HS-012')} are offered ones, strongest first, unknown codes skipped`, () => {
    expect(candidateProfiles(offer(), STANDARD)).toEqual([STANDARD])
    expect(candidateProfiles(offer({ profiles: [0x00, 1, 0x04, 3, 0xff, 3] }), STANDARD)).toEqual([SOVEREIGN, STANDARD])
    expect(failure(() => candidateProfiles(offer({ profiles: [0x00, 0x04, 0xff] }), STANDARD))).toBe(
      'incompatible/NO_COMMON_PROFILE',
    )
  })

  it(`${requirement('HS-013')} are none below the minimum`, () => {
    expect(candidateProfiles(strong(), HIGH)).toEqual([SOVEREIGN, HIGH])
    expect(failure(() => candidateProfiles(offer(), HIGH))).toBe('incompatible/NO_COMMON_PROFILE')
  })

  it(`${requirement('HS-014')} are Sovereign or nothing at a Sovereign minimum`, () => {
    expect(candidateProfiles(strong(), SOVEREIGN)).toEqual([SOVEREIGN])
    expect(failure(() => candidateProfiles(strong({ profiles: [STANDARD, HIGH] }), SOVEREIGN))).toBe(
      'incompatible/NO_COMMON_PROFILE',
    )
  })

  it(`${requirement('HS-015', 'HS-016')} reach lower only where the minimum was set lower`, () => {
    const lower = strong({ profiles: [STANDARD] })
    expect(failure(() => candidateProfiles(lower, HIGH))).toBe('incompatible/NO_COMMON_PROFILE')
    expect(failure(() => candidateProfiles(lower, SOVEREIGN))).toBe('incompatible/NO_COMMON_PROFILE')
    expect(candidateProfiles(lower, STANDARD)).toEqual([STANDARD])
  })
})

describe('selectAt', () => {
  const at = (profile: ProfileCode, from: Offer, changes: Partial<ServerRules> = {}) =>
    failure(() => selectAt(profile, from, rules(changes)))

  it(`${requirement('HS-018', 'HS-020', 'HS-022')} takes Standard with 0x11EC, Ed25519 and one AEAD`, () => {
    expect(selectAt(STANDARD, offer(), rules({ aeads: [AES_256_GCM] }))).toEqual({
      profile: STANDARD,
      kem: X25519MLKEM768,
      signature: ED25519,
      aead: AES_256_GCM,
    })
  })

  it(`${requirement('HS-018')} refuses every KEM below or beside the floor`, () => {
    expect(at(STANDARD, offer({ kems: [X25519MLKEM1024] }))).toBe('incompatible/NO_COMMON_KEM')
    expect(at(HIGH, strong({ kems: [X25519MLKEM768] }))).toBe('incompatible/NO_COMMON_KEM')
    expect(at(STANDARD, offer({ kems: [UNKNOWN] }))).toBe('incompatible/NO_COMMON_KEM')
  })

  it(`${requirement('HS-019')} refuses 0x11EC at Sovereign, whatever is allowed`, () => {
    const sovereign = { signature: ML_DSA_87, allowKem1024AtStandard: true } as const
    expect(at(SOVEREIGN, strong({ kems: [X25519MLKEM768] }), sovereign)).toBe('incompatible/NO_COMMON_KEM')
    expect(at(SOVEREIGN, strong(), sovereign)).toBe('none')
  })

  it('takes 0x11ED at Standard only where that was allowed', () => {
    const from = offer({ kems: [X25519MLKEM1024] })
    expect(selectAt(STANDARD, from, rules({ allowKem1024AtStandard: true })).kem).toBe(X25519MLKEM1024)
  })

  it('looks at the first KEM only, because the share belongs to it', () => {
    expect(at(STANDARD, offer({ kems: [X25519MLKEM1024, X25519MLKEM768] }))).toBe('incompatible/NO_COMMON_KEM')
    expect(at(STANDARD, offer({ kems: [UNKNOWN, X25519MLKEM768] }))).toBe('incompatible/NO_COMMON_KEM')
    expect(at(STANDARD, offer({ kems: [X25519MLKEM768, X25519MLKEM1024] }))).toBe('none')
  })

  it(`${requirement('HS-020')} allows Ed25519 up to High and ML-DSA-87 from High on`, () => {
    const allowed = [STANDARD, HIGH, SOVEREIGN].map((profile) =>
      [ED25519, ML_DSA_87].map((signature) => {
        const kem = profile === STANDARD ? X25519MLKEM768 : X25519MLKEM1024
        return at(profile, strong({ kems: [kem] }), { signature })
      }),
    )
    expect(allowed).toEqual([
      ['none', 'incompatible/NO_COMMON_SIGNATURE'],
      ['none', 'none'],
      ['incompatible/NO_COMMON_SIGNATURE', 'none'],
    ])
  })

  it("selects the server identity's scheme and only if it was offered", () => {
    expect(selectAt(HIGH, strong(), rules({ signature: ED25519 })).signature).toBe(ED25519)
    expect(at(HIGH, strong({ signatures: [ML_DSA_87] }))).toBe('incompatible/NO_COMMON_SIGNATURE')
    expect(at(STANDARD, offer({ signatures: [UNKNOWN] }))).toBe('incompatible/NO_COMMON_SIGNATURE')
    expect(at(STANDARD, offer({ signatures: [UNKNOWN, ED25519, ED25519] }))).toBe('none')
  })

  it.each([HIGH, SOVEREIGN])(`${requirement('HS-021')} needs both AEADs on both ends at profile %d`, (profile) => {
    const signature = ML_DSA_87
    expect(at(profile, strong(), { signature })).toBe('none')
    expect(at(profile, strong({ aeads: [AES_256_GCM] }), { signature })).toBe('incompatible/NO_COMMON_AEAD')
    expect(at(profile, strong(), { signature, aeads: [CHACHA20_POLY1305] })).toBe('incompatible/NO_COMMON_AEAD')
  })

  it("selects the first AEAD in the client's order that the server has", () => {
    const both = [CHACHA20_POLY1305, AES_256_GCM]
    expect(selectAt(STANDARD, offer({ aeads: both }), rules()).aead).toBe(CHACHA20_POLY1305)
    expect(selectAt(STANDARD, offer({ aeads: both }), rules({ aeads: [AES_256_GCM] })).aead).toBe(AES_256_GCM)
    expect(selectAt(STANDARD, offer({ aeads: [UNKNOWN, ...both] }), rules()).aead).toBe(CHACHA20_POLY1305)
    expect(at(STANDARD, offer({ aeads: [UNKNOWN] }))).toBe('incompatible/NO_COMMON_AEAD')
    expect(at(STANDARD, offer({ aeads: [AES_256_GCM] }), { aeads: [CHACHA20_POLY1305] })).toBe(
      'incompatible/NO_COMMON_AEAD',
    )
  })
})

describe('acceptSelection', () => {
  const SELECTED: SelectedCodes = { profile: STANDARD, kem: X25519MLKEM768, signature: ED25519, aead: AES_256_GCM }
  const accepting = (changes: Partial<SelectedCodes>, from = offer(), allow = false) =>
    failure(() => acceptSelection({ ...SELECTED, ...changes }, from, allow))

  it('accepts what was offered and is legal', () => {
    expect(acceptSelection(SELECTED, offer(), false)).toEqual(SELECTED)
  })

  it(`${requirement('HS-012', 'HS-013')} refuses a profile that was not offered, and so every one below the minimum`, () => {
    for (const profile of [0x00, HIGH, SOVEREIGN, 0x04, 0xff]) {
      expect(accepting({ profile })).toBe('misbehaved/NOT_OFFERED')
    }
    expect(accepting({ profile: STANDARD }, strong({ profiles: [HIGH] }))).toBe('misbehaved/NOT_OFFERED')
  })

  it.each([
    ['kem', X25519MLKEM1024],
    ['kem', UNKNOWN],
    ['signature', ML_DSA_87],
    ['signature', UNKNOWN],
    ['aead', CHACHA20_POLY1305],
    ['aead', UNKNOWN],
  ] as const)('refuses %s %d, which was not offered', (field, code) => {
    expect(accepting({ [field]: code })).toBe('misbehaved/NOT_OFFERED')
  })

  it('refuses an unknown AEAD even if the offer held it', () => {
    expect(accepting({ aead: UNKNOWN }, offer({ aeads: [UNKNOWN] }))).toBe('misbehaved/NOT_OFFERED')
  })

  it('refuses a KEM that was offered but whose share was not sent', () => {
    const from = offer({ kems: [X25519MLKEM1024, X25519MLKEM768] })
    expect(accepting({}, from, true)).toBe('misbehaved/NOT_OFFERED')
  })

  it(`${requirement('HS-018', 'HS-019')} refuses an offered KEM that the profile does not permit`, () => {
    expect(accepting({ kem: X25519MLKEM1024 }, strong())).toBe('misbehaved/ILLEGAL_SELECTION')
    expect(accepting({ kem: X25519MLKEM1024 }, strong(), true)).toBe('none')
    const weak = strong({ kems: [X25519MLKEM768] })
    for (const profile of [HIGH, SOVEREIGN]) {
      expect(accepting({ profile, signature: ML_DSA_87 }, weak, true)).toBe('misbehaved/ILLEGAL_SELECTION')
    }
  })

  it(`${requirement('HS-020')} refuses an offered signature scheme that the profile does not permit`, () => {
    const kem = X25519MLKEM1024
    expect(accepting({ profile: SOVEREIGN, kem, signature: ED25519 }, strong())).toBe('misbehaved/ILLEGAL_SELECTION')
    expect(accepting({ profile: HIGH, kem, signature: ED25519 }, strong())).toBe('none')
    const both = offer({ signatures: [ED25519, ML_DSA_87] })
    expect(accepting({ signature: ML_DSA_87 }, both)).toBe('misbehaved/ILLEGAL_SELECTION')
  })
})

describe('permitsKem', () => {
  it.each(corpus<{ profile: 'Standard' | 'High' | 'Sovereign'; kem: keyof typeof KEM }, unknown>('profile.check'))(
    `${requirement('HS-018', 'HS-019')} $comment`,
    (test) => {
      const profile = Object.values(PROFILES).find(({ name }) => name === test.in.profile)
      expect(permitsKem(profile?.code ?? STANDARD, KEM[test.in.kem])).toBe(test.result === 'valid')
    },
  )
})

describe('the profile table', () => {
  it(`${requirement('HS-017')} has SHA-256 at Standard and SHA-384 above`, () => {
    const rows = [STANDARD, HIGH, SOVEREIGN].map((code) => [PROFILES[code].hash, PROFILES[code].hashLength])
    expect(rows).toEqual([
      ['sha256', 32],
      ['sha384', 48],
      ['sha384', 48],
    ])
  })
})
