import { CHANNEL, channelById } from '../codepoints/channels.ts'
import { FIRST_APPLICATION_TYPE } from '../codepoints/frame-types.ts'
import { HEADER_OCTETS, TAG_OCTETS } from '../wire/header.ts'
import type { FrameTicket, OutboundFrame } from './contract.ts'
import { Fifo } from './fifo.ts'

/** Order of leaving, first to last (WIRE-037). Within a lane frames never overtake each other. */
export const LANE = {
  /** All-channel frames: PING, PONG, CLOSE_ACK, ERROR, acknowledgements. */
  REPLY: 0,
  /** HELLO, and channels that are scheduled ahead. */
  AHEAD: 1,
  NORMAL: 2,
  BEHIND: 3,
} as const
export type Lane = (typeof LANE)[keyof typeof LANE]

const LANES: readonly Lane[] = [LANE.REPLY, LANE.AHEAD, LANE.NORMAL, LANE.BEHIND]
const LANE_OF_PRIORITY: readonly Lane[] = [LANE.AHEAD, LANE.NORMAL, LANE.BEHIND]

/** The lane of an application frame, by its channel's scheduling class. */
export function laneOf(channel: number): Lane {
  return LANE_OF_PRIORITY[channelById(channel)?.priority ?? 1] ?? LANE.NORMAL
}

/** One frame that waits to be sealed. */
export class QueuedFrame implements FrameTicket {
  readonly channel: number
  readonly type: number
  readonly lane: Lane
  /** Ciphertext and tag, as it will be. */
  readonly payloadOctets: number
  readonly onTaken: OutboundFrame['onTaken']
  parts: readonly Uint8Array[]
  state: 'queued' | 'taken' | 'withdrawn' = 'queued'
  readonly #queue: OutboundQueue

  constructor(queue: OutboundQueue, lane: Lane, frame: OutboundFrame) {
    let payloadOctets = TAG_OCTETS
    for (const part of frame.parts) payloadOctets += part.length
    this.channel = frame.channel
    this.type = frame.type
    this.lane = lane
    this.payloadOctets = payloadOctets
    this.parts = frame.parts
    this.onTaken = frame.onTaken
    this.#queue = queue
  }

  get taken(): boolean {
    return this.state === 'taken'
  }

  get frameOctets(): number {
    return HEADER_OCTETS + this.payloadOctets
  }

  /** Flow control counts it, and it may carry application data (digest 01 9.5). */
  get counted(): boolean {
    return this.type >= FIRST_APPLICATION_TYPE
  }

  withdraw(): boolean {
    if (this.state !== 'queued') return false
    this.state = 'withdrawn'
    this.parts = NO_PARTS
    this.#queue.forget(this)
    return true
  }
}

/** Everything that waits to be sealed, Control first (CARRIAGE section 7). */
export class OutboundQueue {
  /** Whole frames of the lanes behind REPLY. */
  octets = 0
  readonly #limitOctets: number
  readonly #lanes: (Fifo<QueuedFrame> | undefined)[] = [undefined, undefined, undefined, undefined]
  /** The limit was held once, and nobody was told yet that it no longer is. */
  #owesDrained = false
  #ended = false

  constructor(limitOctets: number) {
    this.#limitOctets = limitOctets
  }

  get full(): boolean {
    return this.octets >= this.#limitOctets
  }

  /** Frames that wait in a lane, withdrawn ones included. */
  waiting(lane: Lane): number {
    return this.#lanes[lane]?.length ?? 0
  }

  push(lane: Lane, frame: OutboundFrame): QueuedFrame {
    const queued = new QueuedFrame(this, lane, frame)
    this.#lanes[lane] ??= new Fifo()
    this.#lanes[lane].push(queued)
    if (lane !== LANE.REPLY) {
      this.octets += queued.frameOctets
      this.#owesDrained ||= this.full
    }
    return queued
  }

  /** The frame to go next, left in place; undefined when nothing waits. */
  head(): QueuedFrame | undefined {
    for (const lane of LANES) {
      const waiting = this.#lanes[lane]
      for (let frame = waiting?.peek(); frame !== undefined; frame = waiting?.peek()) {
        if (frame.state === 'queued') return frame
        waiting?.shift()
      }
    }
    return undefined
  }

  /** Takes the frame that `head` returned. */
  take(frame: QueuedFrame): void {
    this.#lanes[frame.lane]?.shift()
    frame.state = 'taken'
    this.forget(frame)
  }

  /** Takes a queued frame's octets off the account. */
  forget(frame: QueuedFrame): void {
    if (frame.lane === LANE.REPLY || this.#ended) return
    this.octets -= frame.frameOctets
  }

  /** True once after the queue had held its limit and holds less now. */
  takeDrained(): boolean {
    if (!this.#owesDrained || this.full) return false
    this.#owesDrained = false
    return true
  }

  /** For good: drops everything. Tickets stay untaken, and may still be withdrawn. */
  end(): void {
    for (const lane of this.#lanes) lane?.clear()
    this.octets = 0
    this.#owesDrained = false
    this.#ended = true
  }
}

const NO_PARTS: readonly Uint8Array[] = []

/** LINK travels with the Bridge frames that it speaks about, not ahead of them (CARRIAGE section 1, op 1). */
export const LINK_LANE: Lane = laneOf(CHANNEL.BRIDGE)
