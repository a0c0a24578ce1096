import { isUtf8 } from 'node:buffer'
import {
  type AssociationCore,
  type AssociationEvent,
  Bridge,
  type BridgeEvent,
  type CloseCause,
  type CloseCode,
  type FailureInput,
  type IncomingExchange,
  type NotificationInput,
  type NpampError,
  type OutgoingExchange,
  PROTOCOL,
  type ReplyFate,
  type RequestInput,
  SESSION_END_REASON,
  TLV,
  type Transport,
} from '../index.ts'
import { BridgeTimer, type Clock, type Connection, connect } from '../transports/index.ts'
import type { Carrier, Party } from './carrier.ts'
import { hex } from './hex.ts'
import { NO_SESSION, NO_TARGET } from './refusals.ts'
import { RoomQueue } from './room-queue.ts'

/** Takes what the peer asks of servers here; without one there are none. */
export interface Acceptor {
  /** A request outside every known session. */
  requested(event: BridgeEvent & { type: 'request' }): void
  /** A notification that belongs to no known exchange or session. False: nothing here is meant. */
  notified(event: BridgeEvent & { type: 'notification' }): boolean
}

export interface McpAssociationOptions {
  readonly core: AssociationCore
  readonly clock: Clock
  readonly maxOpenRequests: number
  readonly acceptor?: (association: McpAssociation) => Acceptor
  /** The peer's HELLO came: messages may cross. */
  readonly onReady: () => void
  readonly onClosed: (cause: CloseCause) => void
}

/** An association with a peer, the parties on it, and which exchange belongs to which of them. */
export class McpAssociation implements Carrier {
  readonly core: AssociationCore
  /** Resolves when it is over, for whatever reason. */
  readonly closed: Promise<void>
  readonly #options: McpAssociationOptions
  readonly #clock: Clock
  readonly #bridge: Bridge
  readonly #timer: BridgeTimer
  readonly #room: RoomQueue
  readonly #acceptor: Acceptor | undefined
  readonly #parties = new Set<Party>()
  readonly #sessions = new Map<string, Party>()
  readonly #owners = new Map<OutgoingExchange | IncomingExchange, Party>()
  readonly #ended: () => void
  #connection: Connection | undefined
  #drains = false

  constructor(options: McpAssociationOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#ended = resolve
    this.#options = options
    this.core = options.core
    this.#clock = options.clock
    this.#bridge = new Bridge(options.core, { isUtf8, maxOpenIncoming: options.maxOpenRequests })
    this.#timer = new BridgeTimer(this.#clock, this.#bridge, (events) => this.#dispatch(events))
    this.#room = new RoomQueue(() => this.core.queueFull)
    this.#acceptor = options.acceptor?.(this)
  }

  /** Starts the pump; events may come before this returns. */
  open(transport: Transport): void {
    this.#connection = connect(this.core, transport, this.#clock, (event) => this.#onEvent(event))
  }

  /** Whether the peer can be told which target and session a message is for. */
  get carriesRouteContext(): boolean {
    return this.core.peer?.extensions?.tlvTypes.has(TLV.ROUTE_CONTEXT) ?? false
  }

  get drains(): boolean {
    return this.#drains
  }

  /** Transports on it. */
  get parties(): number {
    return this.#parties.size
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  close(code: CloseCode, reason: string): Promise<void> {
    this.core.close(code, reason, this.#clock.now())
    this.#flush()
    return this.closed
  }

  abort(error: NpampError): void {
    this.core.abort(error, this.#clock.now())
    this.#flush()
  }

  // --- for parties (Carrier) ---

  add(party: Party): void {
    this.#parties.add(party)
  }

  remove(party: Party, open: Iterable<OutgoingExchange | IncomingExchange>): void {
    this.#parties.delete(party)
    for (const exchange of open) this.#owners.delete(exchange)
  }

  addSession(key: Uint8Array, party: Party): void {
    this.#sessions.set(hex(key), party)
  }

  hasSession(key: Uint8Array): boolean {
    return this.#sessions.has(hex(key))
  }

  removeSession(key: Uint8Array): void {
    this.#sessions.delete(hex(key))
  }

  whenRoom<Result>(act: () => Result): Promise<Result> {
    return this.#room.run(act)
  }

  request(owner: Party, input: Omit<RequestInput, 'protocolId'>): OutgoingExchange {
    const exchange = this.#bridge.request({ ...input, protocolId: PROTOCOL.MCP }, this.#clock.now())
    this.#owners.set(exchange, owner)
    this.#flush()
    return exchange
  }

  notify(input: Omit<NotificationInput, 'protocolId'>): void {
    this.#bridge.notify({ ...input, protocolId: PROTOCOL.MCP })
    this.#flush()
  }

  respond(exchange: IncomingExchange, kind: 'result' | 'error', octets: Uint8Array): ReplyFate {
    this.#owners.delete(exchange)
    const fate = this.#bridge.respond(exchange, { kind, octets }, this.#clock.now())
    this.#flush()
    return fate
  }

  fail(exchange: IncomingExchange, failure: FailureInput): void {
    this.#owners.delete(exchange)
    this.#bridge.fail(exchange, failure, this.#clock.now())
    this.#flush()
  }

  cancel(exchange: OutgoingExchange, own?: Uint8Array): void {
    this.#owners.delete(exchange)
    this.#bridge.cancel(exchange, this.#clock.now(), own && { octets: own })
    this.#flush()
  }

  endSession(key: Uint8Array, reason: number): void {
    this.core.sendLink({ op: 'sessionEnd', session: key, reason }, this.#clock.now())
    this.#flush()
  }

  nameOf({ ordinal }: OutgoingExchange): string | undefined {
    const info = this.core.established
    return ordinal === 0 || info === undefined ? undefined : `${hex(info.associationId.subarray(0, 8))}/${ordinal}`
  }

  /** A request of the peer's belongs to this party. */
  give(event: BridgeEvent & { type: 'request' }, owner: Party): void {
    this.#owners.set(event.exchange, owner)
    owner.requested(event)
  }

  // --- what happens ---

  #onEvent(event: AssociationEvent): void {
    this.#dispatch(this.#bridge.handleEvent(event, this.#clock.now()))
    this.#timer.arm()
    switch (event.type) {
      case 'ready':
        this.#options.onReady()
        break
      case 'link':
        this.#link(event.message)
        break
      case 'drained':
        this.#room.drained()
        break
      case 'closed':
        this.#close(event.cause)
        break
      default:
    }
  }

  #dispatch(events: readonly BridgeEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'request':
          this.#requested(event)
          break
        case 'notification':
          this.#notified(event)
          break
        case 'cancel':
          this.#owners.get(event.exchange)?.cancelled(event)
          break
        case 'reply':
          this.#disown(event.exchange)?.replied(event)
          break
        case 'failed':
          this.#disown(event.exchange)?.failed(event.exchange, event.failure, event.by)
          break
        case 'abandoned':
          this.#owners.delete(event.exchange)
          break
      }
    }
  }

  #requested(event: BridgeEvent & { type: 'request' }): void {
    const { exchange, related } = event
    const session = exchange.route?.session
    const owner = session === undefined ? this.#ownerOf(related, exchange.route !== undefined) : this.#sessionOf(event)
    if (owner !== undefined) this.give(event, owner)
    else if (this.#acceptor !== undefined) this.#acceptor.requested(event)
    else this.fail(exchange, session === undefined ? NO_TARGET : NO_SESSION)
  }

  #notified(event: BridgeEvent & { type: 'notification' }): void {
    const { related, route } = event
    const owner =
      this.#ownerOf(related, route !== undefined) ??
      (route?.session === undefined ? undefined : this.#sessions.get(hex(route.session)))
    if (owner !== undefined) owner.notified(event)
    else if (this.#acceptor?.notified(event) !== true && route?.session !== undefined && !this.core.queueFull)
      this.endSession(route.session, SESSION_END_REASON.UNKNOWN_SESSION)
  }

  /** The session of this key, where it is with the target that the peer names. */
  #sessionOf({ exchange: { route } }: BridgeEvent & { type: 'request' }): Party | undefined {
    const owner = route?.session && this.#sessions.get(hex(route.session))
    return owner?.route?.target === route?.target ? owner : undefined
  }

  /** By the exchange that a message belongs to; of a peer that cannot say, by there being one party only. */
  #ownerOf(related: OutgoingExchange | IncomingExchange | undefined, named: boolean): Party | undefined {
    if (related !== undefined) return this.#owners.get(related)
    const onlyOne = !named && this.#parties.size === 1
    return onlyOne && this.#acceptor === undefined ? this.#parties.values().next().value : undefined
  }

  #disown(exchange: OutgoingExchange): Party | undefined {
    const owner = this.#owners.get(exchange)
    this.#owners.delete(exchange)
    return owner
  }

  #link(message: (AssociationEvent & { type: 'link' })['message']): void {
    if (message.op === 'sessionEnd') this.#sessions.get(hex(message.session))?.sessionEnded()
    if (message.op !== 'drain') return
    this.#drains = true
    for (const party of [...this.#parties]) party.draining()
  }

  #close(cause: CloseCause): void {
    this.#timer.disarm()
    this.#room.drained()
    for (const party of [...this.#parties]) party.lost()
    this.#sessions.clear()
    this.#owners.clear()
    this.#ended()
    this.#options.onClosed(cause)
  }

  #flush(): void {
    this.#connection?.flush()
    this.#timer.arm()
  }
}
