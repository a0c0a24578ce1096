import {
  type Bridge,
  type BridgeEvent,
  type CancelFate,
  type IncomingExchange,
  OUTCOME,
  type OutgoingExchange,
  PROTOCOL,
  type RouteContext,
} from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, ServerRequest, ServerRequestHandle, ServerRequestSink } from '../exchanges/contract.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { associationLost, failureFromPeer } from './failures.ts'
import { notTaken } from './not-taken.ts'
import { GIVEN_UP, SESSION_GONE, tooManyServerRequests } from './unplaced.ts'

export interface SentServerRequestsOptions {
  readonly bridge: Bridge
  readonly clock: Clock
  readonly flush: () => void
  readonly watch: ExchangeWatch
  /** `namespace/name` of the peer, for logs. */
  readonly peerName: string
  /** Names a request that was sent in the logs of both relays. */
  readonly nameOf: (ordinal: number) => string
  /** The peer does not know the session that an asker spoke in. */
  readonly onSessionUnknown: (asker: object) => void
  /** An exchange ended: the association may be idle now. */
  readonly onEnded: () => void
}

/** Whom of the peer's clients a server of this relay asks. */
export interface AskedClient {
  /** What the request counts for and ends with: the client of a session, or a call outside of any. */
  readonly asker: object
  /** Undefined towards a peer that cannot be told a session. */
  readonly route: RouteContext | undefined
  /** The call that it belongs to. */
  readonly related?: IncomingExchange | undefined
}

/** Open requests of the server of one session, or of one call outside of any. */
export const MAX_SERVER_REQUESTS = 64

const NOTHING_TO_CANCEL: ServerRequestHandle = { cancel: () => {} }

/** Ends a request that was not sent. */
export function notAsked(sink: ServerRequestSink, failure: CallFailure): ServerRequestHandle {
  sink.fail(failure)
  return NOTHING_TO_CANCEL
}

/** What servers behind this relay ask clients of one peer's, over one association (MCP-012). */
export class SentServerRequests {
  readonly #options: SentServerRequestsOptions
  readonly #byExchange = new Map<OutgoingExchange, Sent>()
  readonly #byAsker = new Map<object, Set<Sent>>()

  constructor(options: SentServerRequestsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#byExchange.size
  }

  owns(exchange: OutgoingExchange): boolean {
    return this.#byExchange.has(exchange)
  }

  send(request: ServerRequest, sink: ServerRequestSink, { asker, route, related }: AskedClient): ServerRequestHandle {
    const { bridge, clock, flush, watch } = this.#options
    const open = this.#byAsker.get(asker)
    if (open !== undefined && open.size >= MAX_SERVER_REQUESTS)
      return notAsked(sink, tooManyServerRequests(MAX_SERVER_REQUESTS))
    const { octets, message, effect, method } = request
    const label = { effect, scope: '' }
    let exchange: OutgoingExchange
    try {
      exchange = bridge.request({ protocolId: PROTOCOL.MCP, octets, message, label, route, related }, clock.now())
    } catch (error) {
      return notAsked(sink, notTaken(error))
    }
    const sent: Sent = { exchange, asker, method, sink, sentAt: clock.now(), cancelled: false, over: false }
    this.#byExchange.set(exchange, sent)
    if (open === undefined) this.#byAsker.set(asker, new Set([sent]))
    else open.add(sent)
    watch.opened()
    flush()
    return { cancel: (own) => this.#cancel(sent, own) }
  }

  // --- what comes back ---

  reply({ exchange, kind, octets, message, release }: BridgeEvent & { type: 'reply' }): void {
    const sent = this.#forget(exchange)
    if (sent === undefined) return
    if (sent.over) release?.()
    else {
      sent.over = true
      this.#options.watch.replied(kind, ...this.#factsOf(sent))
      sent.sink.reply({ kind, octets, message, release })
    }
    this.#options.onEnded()
  }

  failed({ exchange, failure, by }: BridgeEvent & { type: 'failed' }, associationEnded: boolean): void {
    const sent = this.#forget(exchange)
    if (sent === undefined) return
    const lost = by === 'local' && associationEnded && failure.outcome === OUTCOME.UNKNOWN
    const told = lost ? associationLost(this.#options.peerName) : failureFromPeer(failure)
    if (by === 'peer') this.#options.watch.peerSaid(failure, this.#nameOf(sent))
    // Whatever came of it: a server that gave its request up waits for nothing.
    if (!sent.over) this.#fail(sent, sent.cancelled ? { ...told, outcome: OUTCOME.CANCELLED } : told)
    if (by === 'peer' && failure.outcome === OUTCOME.SESSION_LOST) this.#options.onSessionUnknown(sent.asker)
    this.#options.onEnded()
  }

  /** The session ended: whoever asked in it is told so, and the peer's client that nobody wants its answers. */
  endOf(asker: object): void {
    for (const sent of [...(this.#byAsker.get(asker) ?? [])]) {
      if (sent.over) continue
      this.#fail(sent, SESSION_GONE)
      this.#giveUp(sent)
    }
  }

  // --- bookkeeping ---

  #cancel(sent: Sent, own: Cancelling): void {
    if (sent.over || sent.cancelled) return
    sent.cancelled = true
    if (this.#giveUp(sent, own) === 'withdrawn') this.#fail(sent, { ...GIVEN_UP, outcome: OUTCOME.CANCELLED })
  }

  /** What was sent stays until the peer's one reply, as every cancelled exchange does (CARRIAGE section 5). */
  #giveUp(sent: Sent, own?: Cancelling): CancelFate {
    const { bridge, clock, flush, watch, onEnded } = this.#options
    const fate = bridge.cancel(sent.exchange, clock.now(), own)
    if (fate !== 'over') watch.cancelled('sent', fate)
    flush()
    if (fate !== 'withdrawn') return fate
    this.#forget(sent.exchange)
    onEnded()
    return fate
  }

  #fail(sent: Sent, failure: CallFailure): void {
    sent.over = true
    this.#options.watch.failed(failure, ...this.#factsOf(sent))
    sent.sink.fail(failure)
  }

  #forget(exchange: OutgoingExchange): Sent | undefined {
    const sent = this.#byExchange.get(exchange)
    if (sent === undefined) return undefined
    this.#byExchange.delete(exchange)
    const open = this.#byAsker.get(sent.asker)
    open?.delete(sent)
    if (open?.size === 0) this.#byAsker.delete(sent.asker)
    return sent
  }

  #factsOf(sent: Sent): [durationMs: number, facts: Parameters<ExchangeWatch['failed']>[2]] {
    const { clock, peerName } = this.#options
    return [clock.now() - sent.sentAt, { requestId: this.#nameOf(sent), method: sent.method, with: peerName }]
  }

  #nameOf({ exchange }: Sent): string {
    return this.#options.nameOf(exchange.ordinal)
  }
}

type Cancelling = Parameters<ServerRequestHandle['cancel']>[0]

interface Sent {
  readonly exchange: OutgoingExchange
  readonly asker: object
  readonly method: string
  readonly sink: ServerRequestSink
  readonly sentAt: number
  /** By its server. */
  cancelled: boolean
  /** Its server has been told its end. */
  over: boolean
}
