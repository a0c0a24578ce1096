import { PROFILE, type ProfileCode } from '../codepoints/profiles.ts'
import { MisuseError } from '../errors.ts'

/** How much one key may protect: per channel, direction and epoch, both suites of a diversified epoch together. */
export interface KeyBounds {
  readonly frames: number
  /** Octets behind the headers: ciphertext and tags. */
  readonly octets: number
  readonly ageMs: number
}

export interface KeyLimits {
  /** From here on the next frame is preceded by a KEY_UPDATE. */
  readonly start: KeyBounds
  /** Here nothing but that KEY_UPDATE may be sealed any more. */
  readonly hard: KeyBounds
}

const MINUTE_MS = 60_000

/** Digest 03 section 6 (REC-011); tightest at Sovereign (REC-012). */
export const KEY_LIMITS: Readonly<Record<ProfileCode, KeyLimits>> = {
  [PROFILE.STANDARD]: {
    start: { frames: 2 ** 22, octets: 2 ** 35, ageMs: 60 * MINUTE_MS },
    hard: { frames: 2 ** 23, octets: 2 ** 36, ageMs: 120 * MINUTE_MS },
  },
  [PROFILE.HIGH]: {
    start: { frames: 2 ** 20, octets: 2 ** 33, ageMs: 15 * MINUTE_MS },
    hard: { frames: 2 ** 21, octets: 2 ** 34, ageMs: 30 * MINUTE_MS },
  },
  [PROFILE.SOVEREIGN]: {
    start: { frames: 2 ** 18, octets: 2 ** 31, ageMs: 5 * MINUTE_MS },
    hard: { frames: 2 ** 19, octets: 2 ** 32, ageMs: 10 * MINUTE_MS },
  },
}

/**
 * The limits of a profile, tightened by what was configured: the lower of each pair counts.
 *
 * @throws MisuseError ARGUMENT for a bound that is not a positive integer, or a start beyond its hard stop.
 */
export function keyLimits(profile: ProfileCode, configured?: KeyLimits): KeyLimits {
  const table = KEY_LIMITS[profile]
  if (configured === undefined) return table
  const limits = { start: lower(table.start, configured.start), hard: lower(table.hard, configured.hard) }
  for (const bound of ['frames', 'octets', 'ageMs'] as const) {
    if (limits.start[bound] > limits.hard[bound]) {
      throw new MisuseError('ARGUMENT', `key limit ${bound}: start ${limits.start[bound]} is beyond the hard stop`)
    }
  }
  return limits
}

function lower(table: KeyBounds, configured: KeyBounds): KeyBounds {
  const pick = (bound: keyof KeyBounds): number => {
    const value = configured[bound]
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new MisuseError('ARGUMENT', `key limit ${bound} must be a positive integer, not ${value}`)
    }
    return Math.min(table[bound], value)
  }
  return { frames: pick('frames'), octets: pick('octets'), ageMs: pick('ageMs') }
}
