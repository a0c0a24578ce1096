import type { ProfileCode } from '../codepoints/profiles.ts'
import type { AeadSuite, Kem } from '../codepoints/suites.ts'
import type { CryptoProvider, SigningKey } from '../crypto/provider.ts'
import type { IdentityPolicy } from './identity-policy.ts'

/** What both roles need. Nothing here is wiped by a handshake: provider and identity outlive it. */
export interface HandshakeConfig {
  readonly provider: CryptoProvider
  readonly identity: SigningKey
  readonly policy: IdentityPolicy
  /** Suites this end can use, in order of preference; at least one (HS-022). */
  readonly aeads: readonly AeadSuite[]
  /** Also accept KEM 0x11ED at Standard, where the floor is 0x11EC (digest 02 section 6). Default false. */
  readonly allowKem1024AtStandard?: boolean
}

export interface ClientConfig extends HandshakeConfig {
  /** What is offered; no selection below the lowest of these is accepted, and nothing is ever retried with less. */
  readonly profiles: readonly ProfileCode[]
  /** KEM whose share is sent; default the floor of the highest profile offered. */
  readonly kem?: Kem
}

export interface ServerConfig extends HandshakeConfig {
  /** No profile below this one is selected (HS-013). */
  readonly minimumProfile: ProfileCode
}
