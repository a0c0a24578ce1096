import { PROFILES, type ProfileCode } from '../codepoints/profiles.ts'
import { AEAD, type AeadSuite } from '../codepoints/suites.ts'
import type { DirectionRoot } from '../keys/direction-root.ts'
import { suiteForFrame } from '../keys/suite-for-frame.ts'
import type { TrafficKeys } from '../keys/traffic.ts'
import type { KeyBounds } from './key-limits.ts'

/** How the frames of an association are protected, in either direction. */
export interface Protection {
  readonly profile: ProfileCode
  /** The selected, primary suite. */
  readonly aead: AeadSuite
  /** Scratch of the provider's for the associated data of one frame (WIRE-012). */
  readonly aad: Uint8Array
}

/**
 * Keys and counters of one channel in one direction during one epoch. The sequence is a number here: every bound of
 * digest 03 section 6 ends an epoch long before 2^53, so no value is ever inexact or repeated (REC-010).
 */
export class ChannelEpoch {
  readonly channel: number
  readonly epoch: bigint
  /** The epoch of another channel: see DirectionKeys. */
  next: ChannelEpoch | undefined
  /** Monotonic ms at which the keys were derived. */
  readonly startedAt: number
  /** Of the next frame: sent next, or expected next. First value 0 (REC-005). Also the number of frames so far. */
  sequence = 0
  /** Octets behind the headers so far. */
  octets = 0
  readonly #profile: ProfileCode
  readonly #primary: TrafficKeys
  /** Keys of the other suite, where frames alternate (REC-018, REC-019). */
  readonly #other: TrafficKeys | undefined

  constructor(root: DirectionRoot, protection: Protection, channel: number, epoch: bigint, now: number) {
    const { profile, aead } = protection
    this.channel = channel
    this.epoch = epoch
    this.startedAt = now
    this.#profile = profile
    this.#primary = root.trafficKeys(epoch, aead, channel)
    if (PROFILES[profile].diversifiesAead) this.#other = root.trafficKeys(epoch, otherSuite(aead), channel)
  }

  keysFor(sequence: bigint): TrafficKeys {
    const primary = this.#primary
    if (this.#other === undefined) return primary
    const suite = suiteForFrame(this.#profile, primary.suite, sequence)
    return suite === primary.suite ? primary : this.#other
  }

  /** Commits one frame: the sequence moves on only here (REC-005). */
  commit(payloadOctets: number): void {
    this.sequence += 1
    this.octets += payloadOctets
  }

  reached(bounds: KeyBounds, now: number): boolean {
    return this.sequence >= bounds.frames || this.octets >= bounds.octets || now - this.startedAt >= bounds.ageMs
  }

  wipe(): void {
    this.#primary.wipe()
    this.#other?.wipe()
  }
}

function otherSuite(suite: AeadSuite): AeadSuite {
  return suite === AEAD.AES_256_GCM ? AEAD.CHACHA20_POLY1305 : AEAD.AES_256_GCM
}
