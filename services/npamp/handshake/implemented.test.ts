import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/fixtures/npamp/errors.ts'
import { clientConfig, serverConfig } from '../../../test/fixtures/npamp/handshake.ts'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD, KEM, SIGNATURE } from '../codepoints/suites.ts'
import { startClient } from './client.ts'
import type { Offer } from './client-hello.ts'
import { select } from './implemented.ts'
import type { ServerRules } from './negotiate.ts'
import { awaitClientHello } from './server.ts'

const { STANDARD, HIGH, SOVEREIGN } = PROFILE
const RULES: ServerRules = {
  minimumProfile: STANDARD,
  signature: SIGNATURE.ED25519,
  aeads: Object.values(AEAD),
  allowKem1024AtStandard: false,
}
const OFFER: Offer = {
  profiles: [STANDARD],
  kems: [KEM.X25519MLKEM768],
  signatures: [SIGNATURE.ED25519],
  aeads: Object.values(AEAD),
}
const selecting = (offer: Partial<Offer>, rules: Partial<ServerRules> = {}) =>
  failure(() => select({ ...OFFER, ...offer }, { ...RULES, ...rules }))

describe('High and Sovereign', () => {
  it.each([{ profiles: [HIGH] }, { profiles: [SOVEREIGN] }, { profiles: [STANDARD, HIGH] }])(
    'are refused by a client that would offer $profiles',
    ({ profiles }) => {
      expect(failure(() => startClient(clientConfig({ profiles })))).toBe('incompatible/PROFILE_NOT_IMPLEMENTED')
    },
  )

  it.each([HIGH, SOVEREIGN])('are refused by a server whose minimum is %d', (minimumProfile) => {
    expect(failure(() => awaitClientHello(serverConfig({ minimumProfile })))).toBe(
      'incompatible/PROFILE_NOT_IMPLEMENTED',
    )
  })

  it('are refused by name when nothing else stood in the way', () => {
    expect(selecting({ profiles: [HIGH], kems: [KEM.X25519MLKEM1024] })).toBe('incompatible/PROFILE_NOT_IMPLEMENTED')
  })

  it('are passed over for Standard where offer and minimum permit it', () => {
    const offer = { ...OFFER, profiles: [SOVEREIGN, HIGH, STANDARD] }
    expect(select(offer, RULES).profile).toBe(STANDARD)
    const strong = { ...offer, kems: [KEM.X25519MLKEM1024] }
    expect(failure(() => select(strong, RULES))).toBe('incompatible/PROFILE_NOT_IMPLEMENTED')
    expect(select(strong, { ...RULES, allowKem1024AtStandard: true }).profile).toBe(STANDARD)
  })
})

describe('select', () => {
  it(`${requirement('HS-012', 'HS-018', 'HS-020', 'HS-022')} says what is not in common`, () => {
    expect(selecting({})).toBe('none')
    expect(selecting({ profiles: [0x00, 0x77] })).toBe('incompatible/NO_COMMON_PROFILE')
    expect(selecting({ kems: [KEM.X25519MLKEM1024] })).toBe('incompatible/NO_COMMON_KEM')
    expect(selecting({ signatures: [SIGNATURE.ML_DSA_87] })).toBe('incompatible/NO_COMMON_SIGNATURE')
    expect(selecting({}, { aeads: [] })).toBe('incompatible/NO_COMMON_AEAD')
    expect(selecting({ profiles: [STANDARD, HIGH], kems: [0x9999] })).toBe('incompatible/NO_COMMON_KEM')
  })
})
