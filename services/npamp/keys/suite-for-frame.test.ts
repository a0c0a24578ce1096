import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { PROFILE } from '../codepoints/profiles.ts'
import { AEAD } from '../codepoints/suites.ts'
import { suiteForFrame } from './suite-for-frame.ts'

const { AES_256_GCM, CHACHA20_POLY1305 } = AEAD
const SEQUENCES = [0n, 1n, 2n, 3n, 0xffff_ffff_ffff_fffen, 0xffff_ffff_ffff_ffffn]

describe('suiteForFrame', () => {
  it(`${requirement('REC-018')} is the selected suite for every frame at Standard`, () => {
    for (const primary of Object.values(AEAD)) {
      for (const sequence of SEQUENCES) expect(suiteForFrame(PROFILE.STANDARD, primary, sequence)).toBe(primary)
    }
  })

  it.each([PROFILE.HIGH, PROFILE.SOVEREIGN])(
    `${requirement('REC-018')} alternates by parity at profile %d, the selected suite first`,
    (profile) => {
      expect(SEQUENCES.map((sequence) => suiteForFrame(profile, AES_256_GCM, sequence))).toEqual([
        AES_256_GCM,
        CHACHA20_POLY1305,
        AES_256_GCM,
        CHACHA20_POLY1305,
        AES_256_GCM,
        CHACHA20_POLY1305,
      ])
      expect(suiteForFrame(profile, CHACHA20_POLY1305, 0n)).toBe(CHACHA20_POLY1305)
      expect(suiteForFrame(profile, CHACHA20_POLY1305, 1n)).toBe(AES_256_GCM)
    },
  )
})
