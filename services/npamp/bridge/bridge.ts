import type { AssociationCore, AssociationEvent } from '../association/contract.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { ERROR_CODE } from '../codepoints/error-codes.ts'
import { BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { MisuseError } from '../errors.ts'
import { OUTCOME, TRANSPORT_ERROR } from './contract.ts'
import type {
  BridgeCounters,
  BridgeEvent,
  CancelFate,
  FailureInput,
  IncomingExchange,
  NotificationInput,
  OutgoingExchange,
  ReplyFate,
  ReplyInput,
  RequestInput,
} from './events.ts'
import { Incoming, Outgoing } from './exchanges.ts'
import { idKey } from './jsonrpc/id.ts'
import { type FrameEvent, reportFrame } from './open-frame.ts'
import { Outbound } from './outbound.ts'
import { receiveNotification } from './receive-notification.ts'
import { failedHere, receiveReply } from './receive-reply.ts'
import { receiveRequest } from './receive-request.ts'
import { type BridgeOptions, BridgeState } from './state.ts'

/**
 * The Bridge channel of one association, sans-IO like the core: give it every event of the association, act on what it
 * returns, and flush the connection after every call that sends. It carries messages of foreign protocols octet for octet
 * (BRG-001) and keeps the books of who waits for which answer.
 */
export class Bridge {
  readonly #state: BridgeState
  readonly #outbound: Outbound
  /** An ERROR about an unknown type is sent once per type (digest 01 section 8). */
  readonly #reportedTypes = new Set<number>()

  constructor(association: AssociationCore, options: BridgeOptions = {}) {
    this.#state = new BridgeState(association, options)
    this.#outbound = new Outbound(this.#state)
  }

  get counters(): BridgeCounters {
    return this.#state.counters
  }

  /** Open exchanges of both sides. */
  get openExchanges(): number {
    return this.#state.exchanges.openCount
  }

  /** Whether an open request of ours has this id: to a peer without RouteContext it must go elsewhere (CARRIAGE section 1). */
  hasOpenId(idToken: Uint8Array): boolean {
    const key = idKey(idToken)
    for (const exchange of this.#state.exchanges.allMine()) if (exchange.idKey === key) return true
    return false
  }

  /**
   * Sends a request. Throws, and then nothing was sent: ClosedError; IncompatibleError NO_HELLO or PROTOCOL_UNSUPPORTED;
   * LimitError SEND_QUEUE_FULL, PEER_FRAME_LIMIT, ITEMS or LENGTH (service parameters); MalformedError JSON or JSON_RPC
   * where the octets are no request of the protocol's class.
   */
  request(input: RequestInput, now: number): OutgoingExchange {
    return this.#outbound.request(input, now)
  }

  /** Sends a notification. Throws as `request` does, except for a full queue: stop reading its source on `queueFull`. */
  notify(input: NotificationInput): void {
    this.#outbound.notify(input)
  }

  /** Answers a request of the peer's with the endpoint's own result or error. At most one answer leaves (RPC-009). */
  respond(exchange: IncomingExchange, reply: ReplyInput, now: number): ReplyFate {
    return this.#outbound.respond(own(exchange, Incoming), reply, now)
  }

  /** Answers it with a transport error, because there is no answer of the endpoint's (BRG-018, RPC-017). */
  fail(exchange: IncomingExchange, failure: FailureInput, now: number): ReplyFate {
    return this.#outbound.fail(own(exchange, Incoming), failure, now)
  }

  /**
   * Gives a request up (CARRIAGE section 5). `notification`: the client's own cancel, which then crosses as it was written;
   * else one is made. After 'sent' a `reply` or `failed` event still ends the exchange, within 60 s.
   */
  cancel(
    exchange: OutgoingExchange,
    now: number,
    notification?: Pick<NotificationInput, 'octets' | 'message'>,
  ): CancelFate {
    return this.#outbound.cancel(own(exchange, Outgoing), now, notification)
  }

  /** Every event of the association goes in here, in order. Never throws because of what the peer sent. */
  handleEvent(event: AssociationEvent, now: number): readonly BridgeEvent[] {
    switch (event.type) {
      case 'ready':
        this.#state.peer = event.peer
        return []
      case 'frame': {
        const result = event.channel === CHANNEL.BRIDGE ? this.#frame(event, now) : undefined
        return result === undefined ? [] : [result]
      }
      case 'peerError':
        return event.channel === CHANNEL.BRIDGE && event.refType === BRIDGE_FRAME.REQUEST
          ? this.#requestDropped(event.refSequence, event.code, now)
          : []
      case 'closed':
        return this.#associationClosed(now)
      default:
        return []
    }
  }

  nextTimeout(): number | undefined {
    return this.#state.exchanges.firstCancelled()?.cancelExpiresAt
  }

  /** Ends the exchanges whose cancel was never answered. Harmless when nothing is due. */
  handleTimeout(now: number): readonly BridgeEvent[] {
    const { exchanges } = this.#state
    const events: BridgeEvent[] = []
    for (;;) {
      const exchange = exchanges.firstCancelled()
      if (exchange === undefined || exchange.cancelExpiresAt > now) return events
      exchanges.close(exchange, now)
      exchanges.ids.remember(exchange.key, now)
      events.push(notDelivered(exchange, OUTCOME.UNKNOWN, 'no answer came after the cancel'))
    }
  }

  #frame(frame: FrameEvent, now: number): BridgeEvent | undefined {
    switch (frame.frameType) {
      case BRIDGE_FRAME.REQUEST:
        return receiveRequest(this.#state, this.#outbound, frame, now)
      case BRIDGE_FRAME.RESPONSE:
      case BRIDGE_FRAME.ERROR:
        return receiveReply(this.#state, frame, now)
      case BRIDGE_FRAME.NOTIFY:
        return receiveNotification(this.#state, frame)
      case BRIDGE_FRAME.STREAM_DATA:
      case BRIDGE_FRAME.STREAM_END:
        // No class that is carried has streams, so no exchange of either side knows this id.
        this.#state.drop('stream_frame')
        return undefined
      default:
        this.#unknownType(frame, now)
        return undefined
    }
  }

  /** BRG-004 */
  #unknownType(frame: FrameEvent, now: number): void {
    this.#state.drop('unknown_frame_type')
    if (this.#reportedTypes.has(frame.frameType)) return
    this.#reportedTypes.add(frame.frameType)
    reportFrame(this.#state, frame, ERROR_CODE.UNKNOWN_FRAME_TYPE, now)
  }

  /**
   * The peer says that it did not take a request frame of ours: no reply will come. Sequence numbers begin anew with each
   * key, so the exchange found may be another one of ours; nothing of it may be called undelivered.
   */
  #requestDropped(sequence: bigint, code: number, now: number): readonly BridgeEvent[] {
    const { exchanges } = this.#state
    for (const exchange of exchanges.allMine()) {
      if (exchange.sequence !== sequence) continue
      exchanges.close(exchange, now)
      // The peer has an older exchange under this id: its reply is not ours.
      if (code === ERROR_CODE.DUPLICATE_CORRELATION) exchanges.ids.remember(exchange.key, now)
      return [notDelivered(exchange, OUTCOME.UNKNOWN, 'the peer did not take the request')]
    }
    return []
  }

  #associationClosed(now: number): readonly BridgeEvent[] {
    const { exchanges } = this.#state
    this.#state.ended = true
    const events: BridgeEvent[] = []
    for (const exchange of [...exchanges.allMine()]) {
      const unsent = exchange.state === 'queued'
      exchange.ticket?.withdraw()
      exchanges.close(exchange, now)
      events.push(
        unsent
          ? notDelivered(exchange, OUTCOME.NOT_DELIVERED, 'the association ended before the request was sent')
          : notDelivered(exchange, OUTCOME.UNKNOWN, 'the association ended before an answer came'),
      )
    }
    for (const exchange of [...exchanges.allTheirs()]) {
      exchanges.close(exchange, now)
      events.push({ type: 'abandoned', exchange })
    }
    return events
  }
}

function notDelivered(exchange: Outgoing, outcome: 0 | 1, message: string): BridgeEvent {
  return failedHere(exchange, TRANSPORT_ERROR.NOT_DELIVERED, outcome, message)
}

/** An exchange is what this Bridge handed out, or the caller mixed something up. */
function own<T extends object>(exchange: object, type: new (...args: never[]) => T): T {
  if (exchange instanceof type) return exchange
  throw new MisuseError('ARGUMENT', 'no exchange of a Bridge')
}
