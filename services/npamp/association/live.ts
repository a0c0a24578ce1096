import { CHANNEL } from '../codepoints/channels.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { DIRECTION, type Direction } from '../keys/traffic.ts'
import type { RecordReceiver } from '../record/receiver.ts'
import type { RecordSender } from '../record/sender.ts'
import { encodeError } from '../wire/error.ts'
import type { AssociationEvent, EstablishedInfo, PeerCapabilities, Role } from './contract.ts'
import type { Counters } from './counters.ts'
import type { Fifo } from './fifo.ts'
import { FlowCredit } from './flow-credit.ts'
import { DEFAULT_MAX_FRAME_OCTETS, type PeerSettings } from './options.ts'
import { LANE, type OutboundQueue } from './outbound-queue.ts'
import { Rates } from './rates.ts'
import type { Timers } from './timers.ts'

/** A peer that makes us answer but does not read must not fill our memory: further replies are dropped. */
const MAX_WAITING_REPLIES = 64
/** Unknown (channel, type) pairs that are remembered as reported; beyond it nothing is reported any more. */
const MAX_REPORTED_TYPES = 256

export interface LiveParts {
  readonly role: Role
  readonly provider: CryptoProvider
  readonly info: EstablishedInfo
  readonly settings: PeerSettings
  readonly channels: readonly number[]
  readonly sender: RecordSender
  readonly receiver: RecordReceiver
  readonly queue: OutboundQueue
  readonly events: Fifo<AssociationEvent>
  readonly timers: Timers
  readonly counters: Counters
  /** Finished octets; they leave before anything that is sealed later. */
  readonly outbox: Uint8Array[]
}

/** How far the HELLO exchange came. */
export interface HelloProgress {
  /** Version that our HELLO said; undefined until it was queued. */
  sentVersion: number | undefined
  received: boolean
  doneReceived: boolean
}

/**
 * What an association holds from Established until its end, and the few things that frame handlers do with it. Handlers
 * are functions beside it, so that each frame's rules stand in one place.
 */
export class Live {
  readonly role: Role
  readonly provider: CryptoProvider
  readonly info: EstablishedInfo
  readonly settings: PeerSettings
  readonly channels: readonly number[]
  readonly sender: RecordSender
  readonly receiver: RecordReceiver
  readonly queue: OutboundQueue
  readonly events: Fifo<AssociationEvent>
  readonly timers: Timers
  readonly counters: Counters
  readonly flow = new FlowCredit()
  readonly hello: HelloProgress = { sentVersion: undefined, received: false, doneReceived: false }
  /** Finished octets; they leave before anything that is sealed later. */
  readonly outbox: Uint8Array[]
  peer: PeerCapabilities | undefined
  peerMaxFrameOctets: number
  /** Ordinals of BRIDGE_REQUEST frames so far, per direction (AUDIT section 2). */
  requestsSealed = 0
  requestsOpened = 0
  /** Our CLOSE was sealed: nothing but CLOSE_ACK follows it. */
  closeSealed = false
  #rates: Rates | undefined
  #reportedTypes: Set<number> | undefined

  constructor(parts: LiveParts) {
    this.role = parts.role
    this.provider = parts.provider
    this.info = parts.info
    this.settings = parts.settings
    this.channels = parts.channels
    this.sender = parts.sender
    this.receiver = parts.receiver
    this.queue = parts.queue
    this.events = parts.events
    this.timers = parts.timers
    this.counters = parts.counters
    this.outbox = parts.outbox
    this.peerMaxFrameOctets = parts.settings.peerMaxFrameOctets ?? DEFAULT_MAX_FRAME_OCTETS
  }

  get rates(): Rates {
    this.#rates ??= new Rates()
    return this.#rates
  }

  get sendDirection(): Direction {
    return this.role === 'initiator' ? DIRECTION.CLIENT_TO_SERVER : DIRECTION.SERVER_TO_CLIENT
  }

  isEnabled(channel: number): boolean {
    return channel === CHANNEL.CONTROL || this.channels.includes(channel)
  }

  /** Counts a frame that is ignored. */
  drop(reason: string): void {
    this.counters.drop(reason)
  }

  /** Queues an all-channel frame. */
  reply(channel: number, type: number, ...parts: readonly Uint8Array[]): void {
    if (this.closeSealed) return
    if (this.queue.waiting(LANE.REPLY) >= MAX_WAITING_REPLIES) this.drop('reply_backlog')
    else this.queue.push(LANE.REPLY, { channel, type, parts })
  }

  /** Reports a frame of the peer's by an ERROR frame; within the limits of digest 01 9.3. */
  report(channel: number, code: number, refType: number, refSequence: bigint, now: number, message = ''): void {
    if (code === ERROR_CODE.UNKNOWN_FRAME_TYPE && !this.#reportsFirst(channel, refType)) return
    if (!this.rates.allow('error', now)) this.drop('error_rate')
    else this.reply(channel, ALL_CHANNEL_FRAME.ERROR, encodeError({ code, refType, refSequence, message }))
  }

  wipe(): void {
    this.sender.wipe()
    this.receiver.wipe()
    this.queue.end()
  }

  /** At most one ERROR code 2 per (channel, type) and association (digest 01 section 8). */
  #reportsFirst(channel: number, type: number): boolean {
    this.#reportedTypes ??= new Set()
    const pair = channel * 0x1_0000 + type
    if (this.#reportedTypes.has(pair) || this.#reportedTypes.size >= MAX_REPORTED_TYPES) return false
    this.#reportedTypes.add(pair)
    return true
  }
}
