import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import { LimitError } from '../errors.ts'
import type { DirectionRoot } from '../keys/direction-root.ts'
import { AAD_OCTETS, encodeHeader, FLAG, TAG_OCTETS } from '../wire/header.ts'
import { encodeKeyUpdate } from '../wire/key-update.ts'
import type { ChannelEpoch, Protection } from './channel-epoch.ts'
import { DirectionKeys } from './direction-keys.ts'
import type { KeyLimits } from './key-limits.ts'

/**
 * Seals what one end sends. There is one per association, and it seals in wire order: whatever it returns must be written
 * before anything it returns later.
 */
export class RecordSender {
  readonly #keys: DirectionKeys
  readonly #limits: KeyLimits
  readonly #aad: Uint8Array

  /** Takes ownership of `root`. */
  constructor(root: DirectionRoot, protection: Protection, limits: KeyLimits) {
    this.#keys = new DirectionKeys(root, protection)
    this.#limits = limits
    this.#aad = protection.aad
  }

  get generation(): bigint {
    return this.#keys.generation
  }

  /**
   * Appends one sealed frame, as pieces, to `out`.
   *
   * @param parts their concatenation is the plaintext.
   * @returns the frame's sequence number.
   * @throws LimitError KEY_EXHAUSTED at the hard stop, where only `sealKeyUpdate` goes on (REC-010); ClosedError WIPED.
   */
  seal(channel: number, type: number, parts: readonly Uint8Array[], now: number, out: Uint8Array[]): bigint {
    const epoch = this.#keys.current(channel, now)
    if (epoch.reached(this.#limits.hard, now)) {
      throw new LimitError('KEY_EXHAUSTED', `the sending key of channel ${channel} is at its hard stop`)
    }
    return this.#seal(epoch, type, parts, out)
  }

  /** True when the next frame of the channel should be preceded by a KEY_UPDATE (REC-011). */
  updateDue(channel: number, now: number): boolean {
    return this.#keys.existing(channel)?.reached(this.#limits.start, now) ?? false
  }

  /** True at the hard stop. */
  exhausted(channel: number, now: number): boolean {
    return this.#keys.existing(channel)?.reached(this.#limits.hard, now) ?? false
  }

  /** Epoch of the channel's current key; 0 where there is none yet. */
  epochOf(channel: number): bigint {
    return this.#keys.existing(channel)?.epoch ?? 0n
  }

  /** Appends KEY_UPDATE, the last frame of the epoch, and moves to the next one (REC-013 to REC-017). */
  sealKeyUpdate(channel: number, now: number, out: Uint8Array[]): void {
    const epoch = this.#keys.current(channel, now)
    this.#seal(epoch, ALL_CHANNEL_FRAME.KEY_UPDATE, [encodeKeyUpdate(epoch.epoch + 1n)], out)
    this.#keys.nextEpoch(channel, now)
  }

  /** Moves to the root that `step` makes of the current one. The boundary frame must have been sealed just before. */
  advance(step: (root: DirectionRoot) => DirectionRoot): void {
    this.#keys.advance(step)
  }

  wipe(): void {
    this.#keys.wipe()
  }

  #seal(epoch: ChannelEpoch, type: number, parts: readonly Uint8Array[], out: Uint8Array[]): bigint {
    let payloadOctets = TAG_OCTETS // WIRE-010
    for (const part of parts) payloadOctets += part.length
    const sequence = BigInt(epoch.sequence)
    const header = encodeHeader({ flags: FLAG.ENC, type, channel: epoch.channel, sequence, payloadOctets })
    const aad = this.#aad
    for (let at = 0; at < AAD_OCTETS; at++) aad[at] = header[at] as number // WIRE-012
    const pieces = epoch.keysFor(sequence).seal(sequence, aad, parts)
    epoch.commit(payloadOctets)
    out.push(header)
    for (const piece of pieces) out.push(piece)
    return sequence
  }
}
