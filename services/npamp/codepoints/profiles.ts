import { KEM, type Kem, SIGNATURE, type SignatureScheme } from './suites.ts'

export type HashName = 'sha256' | 'sha384'

export const PROFILE = { STANDARD: 0x01, HIGH: 0x02, SOVEREIGN: 0x03 } as const
export type ProfileCode = (typeof PROFILE)[keyof typeof PROFILE]

export interface Profile {
  readonly code: ProfileCode
  readonly name: 'Standard' | 'High' | 'Sovereign'
  readonly hash: HashName
  readonly hashLength: 32 | 48
  readonly kems: readonly Kem[]
  readonly signatures: readonly SignatureScheme[]
  readonly bothAeads: boolean
  readonly diversifiesAead: boolean
}

/** Digest 01 section 11, one row per profile. */
export const PROFILES: Readonly<Record<ProfileCode, Profile>> = {
  [PROFILE.STANDARD]: {
    code: PROFILE.STANDARD,
    name: 'Standard',
    hash: 'sha256',
    hashLength: 32,
    kems: [KEM.X25519MLKEM768],
    signatures: [SIGNATURE.ED25519],
    bothAeads: false,
    diversifiesAead: false,
  },
  [PROFILE.HIGH]: {
    code: PROFILE.HIGH,
    name: 'High',
    hash: 'sha384',
    hashLength: 48,
    kems: [KEM.X25519MLKEM1024],
    signatures: [SIGNATURE.ED25519, SIGNATURE.ML_DSA_87],
    bothAeads: true,
    diversifiesAead: true,
  },
  [PROFILE.SOVEREIGN]: {
    code: PROFILE.SOVEREIGN,
    name: 'Sovereign',
    hash: 'sha384',
    hashLength: 48,
    kems: [KEM.X25519MLKEM1024],
    signatures: [SIGNATURE.ML_DSA_87],
    bothAeads: true,
    diversifiesAead: true,
  },
}
