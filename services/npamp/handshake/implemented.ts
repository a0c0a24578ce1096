import { PROFILE, PROFILES, type ProfileCode } from '../codepoints/profiles.ts'
import { IncompatibleError, type NpampError } from '../errors.ts'
import type { Offer } from './client-hello.ts'
import { candidateProfiles, type Selection, type ServerRules, selectAt } from './negotiate.ts'

/** Profiles that the handshake runs. High and Sovereign are in every table and are refused here, in one place. */
const IMPLEMENTED: ReadonlySet<ProfileCode> = new Set([PROFILE.STANDARD])

/** @throws IncompatibleError PROFILE_NOT_IMPLEMENTED. */
export function requireImplemented(profile: ProfileCode): void {
  if (!IMPLEMENTED.has(profile)) throw notImplemented(profile)
}

/**
 * The highest mutually acceptable profile and what goes with it. A profile that would do but is not implemented is passed
 * over for a lower one only where the server's own minimum lets it.
 *
 * @throws IncompatibleError NO_COMMON_PROFILE; NO_COMMON_KEM, NO_COMMON_SIGNATURE or NO_COMMON_AEAD of the lowest profile
 * considered; PROFILE_NOT_IMPLEMENTED when only that stood in the way.
 */
export function select(offer: Offer, rules: ServerRules): Selection {
  let passedOver: IncompatibleError | undefined
  let refusal: NpampError | undefined
  for (const profile of candidateProfiles(offer, rules.minimumProfile)) {
    try {
      const selection = selectAt(profile, offer, rules)
      if (IMPLEMENTED.has(profile)) return selection
      passedOver ??= notImplemented(profile)
    } catch (error) {
      if (!(error instanceof IncompatibleError)) throw error
      refusal = error
    }
  }
  throw passedOver ?? refusal ?? new IncompatibleError('NO_COMMON_PROFILE', 'no profile in common')
}

function notImplemented(profile: ProfileCode): IncompatibleError {
  return new IncompatibleError('PROFILE_NOT_IMPLEMENTED', `profile ${PROFILES[profile].name} is not implemented yet`)
}
