import type {
  BridgeEvent,
  FailureInput,
  IncomingExchange,
  NotificationInput,
  OutgoingExchange,
  ReplyFate,
  RequestInput,
  RouteContext,
  TransportFailure,
} from '../index.ts'

/** One scope of ids on an association, as its association sees it. */
export interface Party {
  /** What the messages of its session name. */
  readonly route: RouteContext | undefined
  requested(event: BridgeEvent & { type: 'request' }): void
  notified(event: Pick<BridgeEvent & { type: 'notification' }, 'message' | 'method'>): void
  cancelled(event: BridgeEvent & { type: 'cancel' }): void
  replied(event: BridgeEvent & { type: 'reply' }): void
  failed(exchange: OutgoingExchange, failure: TransportFailure, by: 'peer' | 'local'): void
  /** The peer ended its session (LINK session-end). */
  sessionEnded(): void
  /** The peer wants nothing new on this association (LINK drain). */
  draining(): void
  /** The association is over, and whoever waited was told. */
  lost(): void
}

/** The association that carries a party's messages, as that sees it. */
export interface Carrier {
  /** The peer wants nothing new here. */
  readonly drains: boolean
  add(party: Party): void
  /** `open`: exchanges that it leaves behind. */
  remove(party: Party, open: Iterable<OutgoingExchange | IncomingExchange>): void
  addSession(key: Uint8Array, party: Party): void
  removeSession(key: Uint8Array): void
  /** LINK session-end, behind what the session has sent. */
  endSession(key: Uint8Array, reason: number): void
  /** Runs `act` once the send queue has room, in the order of the calls; settles as `act` does. */
  whenRoom<Result>(act: () => Result): Promise<Result>
  /** Throws as `Bridge.request` does; nothing was sent then. */
  request(party: Party, input: Omit<RequestInput, 'protocolId'>): OutgoingExchange
  /** Throws as `Bridge.notify` does. */
  notify(input: Omit<NotificationInput, 'protocolId'>): void
  respond(exchange: IncomingExchange, kind: 'result' | 'error', octets: Uint8Array): ReplyFate
  fail(exchange: IncomingExchange, failure: FailureInput): void
  /** `own`: the notification that says so; else one is made. Whatever still comes of it reaches nobody. */
  cancel(exchange: OutgoingExchange, own?: Uint8Array): void
  /** Names a request that was sent as the relays' logs do: the association's id, and its ordinal in its direction. */
  nameOf(exchange: OutgoingExchange): string | undefined
}
