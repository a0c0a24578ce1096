import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import { AuthenticationError, MisbehavedError } from '../errors.ts'
import type { DirectionRoot } from '../keys/direction-root.ts'
import type { RawFrame } from '../wire/deframer.ts'
import { FLAG, TAG_OCTETS } from '../wire/header.ts'
import { release } from '../wire/octets.ts'
import type { ChannelEpoch, Protection } from './channel-epoch.ts'
import { DirectionKeys } from './direction-keys.ts'
import type { KeyLimits } from './key-limits.ts'

/** Why a frame was dropped without an answer; the association counts them by this name. */
export type RecordDrop = 'not_sealed' | 'short' | 'replay' | 'forged_close'

/** Opens what one end receives over one ordered byte stream. There is one per association. */
export class RecordReceiver {
  readonly #keys: DirectionKeys
  readonly #limits: KeyLimits

  /** Takes ownership of `root`. */
  constructor(root: DirectionRoot, protection: Protection, limits: KeyLimits) {
    this.#keys = new DirectionKeys(root, protection)
    this.#limits = limits
  }

  get generation(): bigint {
    return this.#keys.generation
  }

  /**
   * The plaintext, or why the frame is to be ignored. Steps 11 to 14 of digest 01 section 5, then the commit; the channel
   * must have been admitted before, because keys are derived for it here. The memory of large pieces is given back.
   *
   * @throws MisbehavedError SEQUENCE_GAP or KEY_LIMIT, AuthenticationError TAG: fatal. ClosedError WIPED.
   */
  open(frame: RawFrame, now: number): Uint8Array | RecordDrop {
    const { header, aad, pieces } = frame
    // WIRE-024: whoever forges a CLOSE, however badly, must not end the association.
    const isClose = header.type === ALL_CHANNEL_FRAME.CLOSE
    if ((header.flags & FLAG.ENC) === 0) return isClose ? 'forged_close' : 'not_sealed'
    if (header.payloadOctets < TAG_OCTETS) return isClose ? 'forged_close' : 'short'

    const epoch = this.#keys.current(header.channel, now)
    const expected = BigInt(epoch.sequence)
    if (header.sequence < expected) return 'replay' // REC-009
    if (header.sequence > expected) {
      if (isClose) return 'forged_close'
      // Frames of an ordered stream do not overtake each other: what is missing will never come (digest 03 section 4).
      throw new MisbehavedError('SEQUENCE_GAP', `channel ${header.channel}: ${header.sequence} instead of ${expected}`)
    }
    this.#policeLimits(epoch, header.channel)

    const plaintext = epoch.keysFor(expected).open(expected, aad, pieces)
    for (const piece of pieces) release(piece)
    if (plaintext === undefined) {
      if (isClose) return 'forged_close'
      throw new AuthenticationError('TAG', `channel ${header.channel}: frame ${expected} does not authenticate`)
    }
    epoch.commit(header.payloadOctets)
    return plaintext
  }

  /** The epoch that a KEY_UPDATE on this channel must announce (REC-014). */
  nextEpoch(channel: number, now: number): bigint {
    return this.#keys.current(channel, now).epoch + 1n
  }

  /** Follows the peer's KEY_UPDATE. */
  enterNextEpoch(channel: number, now: number): void {
    this.#keys.nextEpoch(channel, now)
  }

  /** Follows a boundary frame of the peer: MASTER_RATCHET, or REKEM_ACK. */
  advance(step: (root: DirectionRoot) => DirectionRoot): void {
    this.#keys.advance(step)
  }

  wipe(): void {
    this.#keys.wipe()
  }

  /** A peer that never renews a key is cut off at twice its hard stop (digest 03 section 6). */
  #policeLimits(epoch: ChannelEpoch, channel: number): void {
    const { frames, octets } = this.#limits.hard
    if (epoch.sequence >= 2 * frames || epoch.octets >= 2 * octets) {
      throw new MisbehavedError('KEY_LIMIT', `channel ${channel}: the peer used one key for too long`)
    }
  }
}
