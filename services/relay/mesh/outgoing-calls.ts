import {
  type Bridge,
  type BridgeEvent,
  CANCELLED_METHOD,
  ClosedError,
  NpampError,
  OUTCOME,
  type OutgoingExchange,
  PROTOCOL,
  type RouteContext,
  sameId,
  statusOf,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, ClientNotification } from '../exchanges/contract.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { associationLost, failureFromPeer } from './failures.ts'
import { notTaken } from './not-taken.ts'
import type { CallCarrier, PeerCall } from './peer-call.ts'
import type { ReadBudget } from './read-budget.ts'
import { callByContent, cancelledToken } from './related-by-content.ts'
import { GIVEN_UP } from './unplaced.ts'

export interface OutgoingCallsOptions {
  readonly bridge: Bridge
  readonly clock: Clock
  readonly budget: ReadBudget
  /** Something was asked of the association. */
  readonly flush: () => void
  readonly watch: ExchangeWatch
  readonly peerName: string
  readonly queuedOctets: () => number
  /** Names a request that was sent in the logs of both relays. */
  readonly nameOf: (ordinal: number) => string
  /** The association ended with this call's frame still here: it may go elsewhere (CARRIAGE section 4). */
  readonly onUnsent: (call: PeerCall) => void
  /** There is no such session, or no longer: `initialize` got no result, or the peer does not know it. */
  readonly onSessionOver: (sessionId: string, why: 'refused' | 'lost') => void
  /** The exchange of a call ended: the association may be idle now. */
  readonly onEnded: () => void
}

/** Beyond it notifications are dropped; requests are refused at a half of it (CARRIAGE section 7). */
const MAX_QUEUED_OCTETS = 16 * 1024 * 1024

/** The calls of this relay's clients that one association carries. */
export class OutgoingCalls implements CallCarrier {
  readonly #options: OutgoingCallsOptions
  readonly #byExchange = new Map<OutgoingExchange, PeerCall>()
  /** Calls whose receiver is behind, some of them over for the mesh already. */
  readonly #holding = new Set<PeerCall>()

  constructor(options: OutgoingCallsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byExchange.size
  }

  /** Whether one of them wants the association to itself. */
  get wantOwnAssociation(): boolean {
    for (const call of this.#byExchange.values()) if (call.wantsOwnAssociation) return true
    return false
  }

  /** Undefined: the exchange is no call of a client's here, or over. */
  callOf(exchange: OutgoingExchange): PeerCall | undefined {
    return this.#byExchange.get(exchange)
  }

  /** Queues the request. A failure says that nothing was sent; `elsewhere` that this association is over. */
  start(call: PeerCall, route: RouteContext | undefined): 'started' | 'elsewhere' | CallFailure {
    const { bridge, clock, flush } = this.#options
    const { request } = call
    try {
      const exchange = bridge.request(
        {
          protocolId: PROTOCOL.MCP,
          octets: request.octets,
          message: request.message,
          label: { effect: call.effect, scope: '' },
          parameters: request.parameters,
          route,
        },
        clock.now(),
      )
      call.started(this, exchange, (octets) => this.#held(call, octets))
      this.#byExchange.set(exchange, call)
    } catch (error) {
      if (error instanceof ClosedError) return 'elsewhere'
      return notTaken(error)
    }
    flush()
    return 'started'
  }

  /** Fire and forget; counted when it cannot be sent. */
  notify(notification: ClientNotification, route: RouteContext | undefined): void {
    const { bridge, flush, watch, queuedOctets } = this.#options
    if (queuedOctets() > MAX_QUEUED_OCTETS) {
      // Its source cannot be told to wait: the edge has answered 202 already.
      watch.notificationDropped('queue_full')
      return
    }
    const { octets, message } = notification
    const cancelled = this.#cancelledBy(notification)
    try {
      if (cancelled === undefined) bridge.notify({ protocolId: PROTOCOL.MCP, octets, message, route })
      else this.#cancelBy(cancelled, { octets, message })
      flush()
    } catch (error) {
      if (!(error instanceof NpampError)) throw error
      watch.notificationDropped(error.code.toLowerCase())
    }
  }

  // --- CallCarrier ---

  nameOf({ ordinal }: OutgoingExchange): string | undefined {
    return ordinal === 0 ? undefined : this.#options.nameOf(ordinal)
  }

  cancel(call: PeerCall): void {
    const { bridge, clock, flush, watch } = this.#options
    if (call.exchange === undefined) return
    const fate = bridge.cancel(call.exchange, clock.now())
    watch.cancelled('sent', fate)
    flush()
    if (fate === 'withdrawn') this.#end(call.exchange, GIVEN_UP)
  }

  /** The client's own words go out as the cancel, and the exchange ends as any cancelled one (CARRIAGE section 5). */
  #cancelBy(exchange: OutgoingExchange, own: Pick<ClientNotification, 'octets' | 'message'>): void {
    const { bridge, clock, watch } = this.#options
    const fate = bridge.cancel(exchange, clock.now(), own)
    watch.cancelled('sent', fate)
    if (fate === 'withdrawn') this.#end(exchange, { ...GIVEN_UP, outcome: OUTCOME.CANCELLED })
  }

  forget(call: PeerCall): void {
    const { bridge, clock, flush, watch } = this.#options
    if (call.exchange === undefined || !this.#byExchange.has(call.exchange)) return
    watch.cancelled('sent', bridge.cancel(call.exchange, clock.now()))
    flush()
  }

  // --- what comes back ---

  reply(event: BridgeEvent & { type: 'reply' }): void {
    const { kind, octets, message, parameters, release } = event
    this.#end(event.exchange, { kind, octets, message, release, status: statusOf(parameters), parameters })
  }

  failed({ exchange, failure, by }: BridgeEvent & { type: 'failed' }, associationEnded: boolean): void {
    const call = this.#byExchange.get(exchange)
    if (call === undefined) return
    if (by === 'peer') this.#options.watch.peerSaid(failure, call.request.requestId)
    const withAssociation = by === 'local' && associationEnded
    const unsent = withAssociation && failure.outcome === OUTCOME.NOT_DELIVERED
    if (!unsent || call.over) {
      const lost = withAssociation && failure.outcome === OUTCOME.UNKNOWN
      this.#end(exchange, lost ? associationLost(this.#options.peerName) : failureFromPeer(failure))
      return
    }
    this.#byExchange.delete(exchange)
    this.#options.onUnsent(call)
  }

  /**
   * A notification of a peer that cannot say what it belongs to; for an association that one session has to itself
   * (digest 10 section 6). False when nothing says so either, or two exchanges could be meant.
   */
  notificationByContent(event: BridgeEvent & { type: 'notification' }): boolean {
    const call = callByContent(event.message, this.#byExchange.values())
    call?.notification(event.octets)
    return call !== undefined
  }

  /** The call that holds most for a slow receiver; undefined when none holds anything. */
  get largest(): PeerCall | undefined {
    let largest: PeerCall | undefined
    for (const call of this.#holding) if (call.heldOctets > (largest?.heldOctets ?? 0)) largest = call
    return largest
  }

  // --- bookkeeping ---

  #end(exchange: OutgoingExchange, end: Parameters<PeerCall['end']>[0]): void {
    const call = this.#byExchange.get(exchange)
    if (call === undefined) return
    this.#byExchange.delete(exchange)
    const { session } = call.request
    const refused = call.opensSession && !('octets' in end && end.kind === 'result')
    const lost = 'code' in end && end.code === 'SessionLost'
    if (session !== undefined && (refused || lost))
      this.#options.onSessionOver(session.id, refused ? 'refused' : 'lost')
    call.end(end)
    this.#options.onEnded()
  }

  #held(call: PeerCall, octets: number): void {
    if (call.heldOctets > 0) this.#holding.add(call)
    else this.#holding.delete(call)
    if (octets > 0) this.#options.budget.hold(octets)
    else this.#options.budget.release(-octets)
  }

  /** What a client's own cancel is about, so that the far relay need not search (CARRIAGE section 5). */
  #cancelledBy({ method, session, octets }: ClientNotification): OutgoingExchange | undefined {
    if (method !== CANCELLED_METHOD || session === undefined) return undefined
    const token = cancelledToken(octets)
    if (token === undefined) return undefined
    for (const [exchange, { request }] of this.#byExchange) {
      if (request.session?.id === session.id && sameId(exchange.idToken, token)) return exchange
    }
    return undefined
  }
}
