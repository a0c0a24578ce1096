import { PROFILES, type ProfileCode } from '../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../codepoints/suites.ts'
import { MisuseError } from '../errors.ts'
import type { ClientConfig, ServerConfig } from './config.ts'
import { hasBothAeads, permitsKem, type ServerRules, STRONGEST_FIRST } from './negotiate.ts'

/** What a client offers, all of which it can do. */
export interface ClientOffer {
  readonly profiles: readonly ProfileCode[]
  /** One only: there is no retry, so a second could never be selected. */
  readonly kems: readonly [Kem]
  /** The identity's scheme: one SigSelect governs both ends. */
  readonly signatures: readonly [SignatureScheme]
  readonly aeads: readonly AeadSuite[]
}

type ClientRules = Omit<ClientConfig, 'provider' | 'identity' | 'policy'> & { readonly signature: SignatureScheme }

/**
 * The offer of a configuration. A client that offers Standard beside a higher profile sends the higher one's share, which a
 * server may be unable to use at Standard.
 *
 * @throws MisuseError ARGUMENT when the configuration contradicts itself or the profile table.
 */
export function clientOffer(config: ClientRules): ClientOffer {
  const strongest = STRONGEST_FIRST.find((profile) => config.profiles.includes(profile))
  if (strongest === undefined) throw new MisuseError('ARGUMENT', 'a client offers at least one profile')
  const highest = PROFILES[strongest]
  const kem = config.kem ?? highest.kems[0]
  if (kem === undefined || !permitsKem(highest.code, kem, config.allowKem1024AtStandard)) {
    throw new MisuseError('ARGUMENT', `${highest.name} does not permit the configured KEM`)
  }
  for (const profile of config.profiles) requireCapable(profile, config.signature, config.aeads)
  return { profiles: config.profiles, kems: [kem], signatures: [config.signature], aeads: config.aeads }
}

/** @throws MisuseError ARGUMENT when the server could never complete at its own minimum profile. */
export function serverRules(config: ServerConfig): ServerRules {
  const { minimumProfile, aeads, allowKem1024AtStandard = false } = config
  const signature = config.identity.scheme
  if (aeads.length === 0) throw new MisuseError('ARGUMENT', 'at least one AEAD suite is needed')
  return { minimumProfile, signature, aeads, allowKem1024AtStandard }
}

function requireCapable(profile: ProfileCode, signature: SignatureScheme, aeads: readonly AeadSuite[]): void {
  const row = PROFILES[profile]
  if (!row.signatures.includes(signature)) {
    throw new MisuseError('ARGUMENT', `${row.name} does not permit the identity's signature scheme`)
  }
  // HS-021, HS-022
  if (aeads.length === 0 || (row.bothAeads && !hasBothAeads(aeads))) {
    throw new MisuseError('ARGUMENT', `${row.name} needs ${row.bothAeads ? 'both AEAD suites' : 'an AEAD suite'}`)
  }
}
