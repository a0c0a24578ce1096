import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { NpampError } from '../errors.ts'
import { acceptSelection, candidateProfiles } from '../handshake/negotiate.ts'
import { PROFILE, PROFILES } from './profiles.ts'
import { AEAD, KEM, SIGNATURE } from './suites.ts'

const RESERVED = [0x00, ...Array.from({ length: 0xfc }, (_, index) => index + 0x04)]
const codes = { kem: KEM.X25519MLKEM768, signature: SIGNATURE.ED25519, aead: AEAD.AES_256_GCM }
const offering = (profiles: number[]) => ({
  profiles,
  kems: [codes.kem],
  signatures: [codes.signature],
  aeads: [codes.aead],
  share: new Uint8Array(1216),
})

describe('profile codes', () => {
  it(`${requirement('WIRE-046')} 0x00 and 0x04 to 0xFF name nothing: never selected, never accepted`, () => {
    expect(Object.keys(PROFILES)).toEqual(['1', '2', '3'])
    expect(RESERVED.at(-1)).toBe(0xff)
    expect(() => candidateProfiles(offering(RESERVED), PROFILE.STANDARD)).toThrow(NpampError)
    expect(candidateProfiles(offering([...RESERVED, PROFILE.STANDARD]), PROFILE.STANDARD)).toEqual([PROFILE.STANDARD])
    for (const profile of RESERVED) {
      const selected = { profile, ...codes, ciphertext: new Uint8Array(1120) }
      expect(() => acceptSelection(selected, offering([...RESERVED, PROFILE.STANDARD]), false)).toThrow(NpampError)
    }
  })

  it('are those of their rows', () => {
    for (const [code, profile] of Object.entries(PROFILES)) expect(profile.code).toBe(Number(code))
  })
})
