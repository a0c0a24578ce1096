import type { AssociationCore, AssociationEvent } from '../association/contract.ts'
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
import type { Utf8Check } from './jsonrpc/json-text.ts'

export interface BridgeOptions {
  /** Native UTF-8 check (`isUtf8` of `node:buffer`). */
  readonly isUtf8?: Utf8Check
  /** Requests of the peer that may be open at once; one more is answered QuotaExceeded. Default 16,384. */
  readonly maxOpenIncoming?: number
}

/**
 * Signatures first; the body follows. The Bridge channel of one association, sans-IO like the core: give it every
 * event of the association, act on what it returns, and flush the connection after every call that sends.
 */
export interface BridgeFace {
  readonly counters: BridgeCounters
  /** Open exchanges of both sides. */
  readonly openExchanges: number
  /** Every AssociationEvent goes in here; those that are not the Bridge's give an empty list. */
  handleEvent(event: AssociationEvent, now: number): readonly BridgeEvent[]
  nextTimeout(): number | undefined
  handleTimeout(now: number): readonly BridgeEvent[]
  /**
   * Sends a request. Throws, and then nothing was sent: ClosedError; IncompatibleError NO_HELLO, PROTOCOL_UNSUPPORTED;
   * LimitError SEND_QUEUE_FULL, PEER_FRAME_LIMIT, LENGTH; MalformedError JSON, JSON_RPC (not a request of the class).
   */
  request(input: RequestInput, now: number): OutgoingExchange
  /** Sends a notification; throws as `request` does, except SEND_QUEUE_FULL. */
  notify(input: NotificationInput, now: number): void
  /** Answers a request of the peer's with the endpoint's own answer. */
  respond(exchange: IncomingExchange, reply: ReplyInput, now: number): ReplyFate
  /** Answers it with a transport error. */
  fail(exchange: IncomingExchange, failure: FailureInput, now: number): ReplyFate
  /** CARRIAGE section 5. After 'sent' a reply or `failed` event still ends the exchange, within 60 s. */
  cancel(exchange: OutgoingExchange, now: number): CancelFate
  /** Whether an open request of ours has this id: to a peer without RouteContext it must go elsewhere (CARRIAGE section 1). */
  hasOpenId(idToken: Uint8Array): boolean
}

export declare const Bridge: new (association: AssociationCore, options?: BridgeOptions) => BridgeFace
