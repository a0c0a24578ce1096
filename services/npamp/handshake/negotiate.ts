import { PROFILE, PROFILES, type Profile, type ProfileCode } from '../codepoints/profiles.ts'
import { AEAD, type AeadSuite, KEM, type Kem, type SignatureScheme } from '../codepoints/suites.ts'
import { IncompatibleError, MisbehavedError } from '../errors.ts'
import type { Offer } from './client-hello.ts'
import type { SelectedCodes } from './server-hello.ts'

/** Pure decisions over the profile table; nothing here knows what this release implements (see implemented.ts). */

/** What both ends agreed on. */
export interface Selection {
  readonly profile: ProfileCode
  readonly kem: Kem
  readonly signature: SignatureScheme
  readonly aead: AeadSuite
}

export interface ServerRules {
  readonly minimumProfile: ProfileCode
  /** Scheme of the server's identity: one SigSelect governs both ends. */
  readonly signature: SignatureScheme
  readonly aeads: readonly AeadSuite[]
  readonly allowKem1024AtStandard: boolean
}

export const STRONGEST_FIRST: readonly ProfileCode[] = [PROFILE.SOVEREIGN, PROFILE.HIGH, PROFILE.STANDARD]
const BOTH_AEADS: readonly AeadSuite[] = Object.values(AEAD)

/**
 * Profiles that a server may consider, strongest first: offered (HS-012) and not below its minimum (HS-013 to HS-015).
 * A minimum set lower by local policy is the only way to a lower profile (HS-016).
 *
 * @throws IncompatibleError NO_COMMON_PROFILE when there is none.
 */
export function candidateProfiles(offer: Offer, minimumProfile: ProfileCode): readonly [ProfileCode, ...ProfileCode[]] {
  const [first, ...rest] = STRONGEST_FIRST.filter((code) => code >= minimumProfile && offer.profiles.includes(code))
  if (first === undefined) {
    throw new IncompatibleError('NO_COMMON_PROFILE', `no profile of the offer reaches ${PROFILES[minimumProfile].name}`)
  }
  return [first, ...rest]
}

/**
 * What a server selects at one profile: the first KEM of the offer, whose share it is, then the first signature and the
 * first AEAD in the client's order that the profile and the server permit.
 *
 * @throws IncompatibleError NO_COMMON_KEM, NO_COMMON_SIGNATURE or NO_COMMON_AEAD.
 */
export function selectAt(profile: ProfileCode, offer: Offer, rules: ServerRules): Selection {
  const row = PROFILES[profile]
  const kem = permittedKem(row, offer.kems[0], rules.allowKem1024AtStandard)
  if (kem === undefined) {
    throw new IncompatibleError('NO_COMMON_KEM', `${row.name} does not permit the KEM whose share was sent`)
  }
  const signature = row.signatures.find((scheme) => scheme === rules.signature && offer.signatures.includes(scheme))
  if (signature === undefined) {
    throw new IncompatibleError('NO_COMMON_SIGNATURE', `no signature scheme in common that ${row.name} permits`)
  }
  // HS-021: both ends of a profile that diversifies have both suites.
  if (row.bothAeads && !(hasBothAeads(offer.aeads) && hasBothAeads(rules.aeads))) {
    throw new IncompatibleError('NO_COMMON_AEAD', `${row.name} needs both AEAD suites on both ends`)
  }
  const aead = offer.aeads.find((suite): suite is AeadSuite => rules.aeads.some((own) => own === suite))
  if (aead === undefined) throw new IncompatibleError('NO_COMMON_AEAD', 'no AEAD suite in common')
  return { profile, kem, signature, aead }
}

/**
 * What a client accepts of a SERVER_HELLO, before it derives anything: everything was offered, the KEM is the one whose
 * share was sent, and all of it is legal for the profile.
 *
 * @throws MisbehavedError NOT_OFFERED or ILLEGAL_SELECTION.
 */
export function acceptSelection(selected: SelectedCodes, offer: Offer, allowKem1024AtStandard: boolean): Selection {
  const row = Object.values(PROFILES).find((profile) => profile.code === selected.profile)
  if (row === undefined || !offer.profiles.includes(row.code)) throw notOffered('profile', selected.profile)
  if (selected.kem !== offer.kems[0]) throw notOffered('KEM', selected.kem)
  if (!offer.signatures.includes(selected.signature)) throw notOffered('signature scheme', selected.signature)
  const aead = BOTH_AEADS.find((suite) => suite === selected.aead)
  if (aead === undefined || !offer.aeads.includes(aead)) throw notOffered('AEAD suite', selected.aead)
  const kem = permittedKem(row, selected.kem, allowKem1024AtStandard)
  if (kem === undefined) throw illegal(row, 'KEM')
  const signature = row.signatures.find((scheme) => scheme === selected.signature)
  if (signature === undefined) throw illegal(row, 'signature scheme')
  return { profile: row.code, kem, signature, aead }
}

/**
 * Whether a profile permits a KEM (HS-018, HS-019). The floor is also the only KEM by default; Standard may be allowed the
 * stronger one, High and Sovereign are never allowed a weaker one.
 */
export function permitsKem(profile: ProfileCode, kem: Kem, allowKem1024AtStandard = false): boolean {
  return permittedKem(PROFILES[profile], kem, allowKem1024AtStandard) !== undefined
}

export function hasBothAeads(suites: readonly number[]): boolean {
  return BOTH_AEADS.every((suite) => suites.includes(suite))
}

function permittedKem(profile: Profile, kem: number | undefined, allowKem1024AtStandard: boolean): Kem | undefined {
  const stronger = allowKem1024AtStandard && profile.code === PROFILE.STANDARD ? [KEM.X25519MLKEM1024] : []
  return [...profile.kems, ...stronger].find((permitted) => permitted === kem)
}

function notOffered(what: string, code: number): MisbehavedError {
  return new MisbehavedError('NOT_OFFERED', `the server selected ${what} 0x${code.toString(16)}, which was not offered`)
}

function illegal(profile: Profile, what: string): MisbehavedError {
  return new MisbehavedError('ILLEGAL_SELECTION', `the server selected a ${what} that ${profile.name} does not permit`)
}
