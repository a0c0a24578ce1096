import type { DirectionRoot } from '../keys/direction-root.ts'
import { ChannelEpoch, type Protection } from './channel-epoch.ts'

/**
 * All keys of one direction: its root and, derived on first use, the current epoch of each channel (REC-030). Sender
 * and receiver own one each; nothing here is shared between the two directions (REC-043).
 */
export class DirectionKeys {
  #root: DirectionRoot
  readonly #protection: Protection
  /** A chain of one for each channel in use: so few that no table is as quick, or as small. */
  #first: ChannelEpoch | undefined

  /** Takes ownership of `root`. */
  constructor(root: DirectionRoot, protection: Protection) {
    this.#root = root
    this.#protection = protection
  }

  get generation(): bigint {
    return this.#root.generation
  }

  /** The channel's current epoch, derived now if the channel was never used in this generation. */
  current(channel: number, now: number): ChannelEpoch {
    return this.existing(channel) ?? this.#derive(channel, 0n, now)
  }

  /** As `current`, but undefined when there are no keys yet. */
  existing(channel: number): ChannelEpoch | undefined {
    let epoch = this.#first
    while (epoch !== undefined && epoch.channel !== channel) epoch = epoch.next
    return epoch
  }

  /** KEY_UPDATE: wipes the epoch and starts the next one at sequence 0 under fresh keys (REC-016, REC-017, REC-021). */
  nextEpoch(channel: number, now: number): void {
    const retired = this.current(channel, now)
    retired.wipe()
    this.#remove(retired)
    this.#derive(channel, retired.epoch + 1n, now)
  }

  /**
   * A ratchet step: `step` consumes the old root and returns the next one. Every channel key of the direction is wiped;
   * each channel starts again at epoch 0, sequence 0 (REC-025, REC-028).
   */
  advance(step: (root: DirectionRoot) => DirectionRoot): void {
    this.#root = step(this.#root)
    this.#wipeEpochs()
  }

  /** Root and all keys; every later use is ClosedError WIPED (REC-020). */
  wipe(): void {
    this.#root.wipe()
    this.#wipeEpochs()
  }

  #derive(channel: number, epoch: bigint, now: number): ChannelEpoch {
    const derived = new ChannelEpoch(this.#root, this.#protection, channel, epoch, now)
    derived.next = this.#first
    this.#first = derived
    return derived
  }

  #remove(retired: ChannelEpoch): void {
    if (this.#first === retired) this.#first = retired.next
    else for (let at = this.#first; at !== undefined; at = at.next) if (at.next === retired) at.next = retired.next
  }

  #wipeEpochs(): void {
    for (let epoch = this.#first; epoch !== undefined; epoch = epoch.next) epoch.wipe()
    this.#first = undefined
  }
}
