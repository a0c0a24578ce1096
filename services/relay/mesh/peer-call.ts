import { type Effect, effectOf, OUTCOME, type OutgoingExchange } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type {
  CallFailure,
  CallHandle,
  CallReply,
  CallRequest,
  CallSink,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestSink,
} from '../exchanges/contract.ts'
import { Delivery, type Turn } from './delivery.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { expectsNotifications } from './related-by-content.ts'

/** Dial, handshake and HELLO together, from the arrival of a request (CARRIAGE section 1). */
const MAX_PLACEMENT_MS = 5_000

/** Where a call is: with the pool that looks for an association, or with the association that carries it. */
export interface CallCarrier {
  /** Stops it; the call still gets its one end, now or later. */
  cancel(call: PeerCall): void
  /** How both relays' logs name the exchange; undefined until it was sent. */
  nameOf(exchange: OutgoingExchange): string | undefined
  /** The call ended by itself: stop its work, and tell it nothing any more. */
  forget(call: PeerCall): void
}

export interface PeerCallOptions {
  readonly request: CallRequest
  readonly sink: CallSink
  /** Wire name of the target; undefined: whatever the peer takes for its default. */
  readonly targetName: string | undefined
  readonly clock: Clock
  readonly watch: ExchangeWatch
  /** Of the target, for logs. */
  readonly name: string
}

/** One call towards a peer, from its arrival until its sink has its one end. */
export class PeerCall implements CallHandle {
  readonly request: CallRequest
  readonly targetName: string | undefined
  readonly arrivedAt: number
  readonly #options: PeerCallOptions
  #effect: Effect
  readonly #delivery: Delivery
  #carrier: CallCarrier
  #onHeld: ((octets: number) => void) | undefined
  #exchange: OutgoingExchange | undefined
  #over = false
  #wantsOwn: boolean | undefined

  constructor(options: PeerCallOptions, placement: CallCarrier) {
    this.request = options.request
    this.targetName = options.targetName
    this.arrivedAt = options.clock.now()
    this.#effect = options.request.effect
    this.#options = options
    this.#carrier = placement
    this.#delivery = new Delivery(options.sink, {
      clock: options.clock,
      onHeld: (octets) => this.#onHeld?.(octets),
      onTooSlow: (why) => this.failAlone(why),
    })
    options.watch.opened()
  }

  /** Whether this call opens its session. */
  get opensSession(): boolean {
    return this.request.session !== undefined && this.request.method === 'initialize'
  }

  /** Whether it wants an association of its own where nothing but that tells whose a notification is (digest 10 section 6). */
  get wantsOwnAssociation(): boolean {
    const { request, targetName } = this
    if (targetName !== undefined || request.session !== undefined) return false
    this.#wantsOwn ??= expectsNotifications(request)
    return this.#wantsOwn
  }

  /** What it is labelled with. */
  get effect(): Effect {
    return this.#effect
  }

  get placementEndsAt(): number {
    return this.arrivedAt + MAX_PLACEMENT_MS
  }

  get exchange(): OutgoingExchange | undefined {
    return this.#exchange
  }

  get heldOctets(): number {
    return this.#delivery.heldOctets
  }

  get over(): boolean {
    return this.#over
  }

  // --- CallHandle ---

  cancel(): void {
    if (!this.#over) this.#carrier.cancel(this)
  }

  resume(): void {
    this.#delivery.resume()
  }

  // --- for whoever carries it ---

  /** It has a frame in the queue of an association now. */
  started(carrier: CallCarrier, exchange: OutgoingExchange, onHeld: (octets: number) => void): void {
    this.#carrier = carrier
    this.#exchange = exchange
    this.#onHeld = onHeld
  }

  /** Its association ended before its frame was sent: it looks for another one. */
  unstarted(placement: CallCarrier): void {
    this.#carrier = placement
    this.#exchange = undefined
    this.#onHeld = undefined
  }

  /** It goes to somebody else than its label was made for, of whose tools nothing is known (CARRIAGE section 11). */
  relabel(): void {
    this.#effect = effectOf(this.request.method)
  }

  notification(octets: Uint8Array): void {
    if (!this.#over) this.#delivery.notification(octets)
  }

  /** Whether the server may ask its caller anything. */
  get mayBeAsked(): boolean {
    return this.#options.sink.serverRequest !== undefined
  }

  /** Asks the caller what the server wants to know for it. */
  ask(request: ServerRequest, answer: ServerRequestSink): ServerRequestHandle | undefined {
    return this.#options.sink.serverRequest?.(request, answer)
  }

  /** What goes to the caller behind the notifications that wait. */
  inTurn(turn: Turn): void {
    this.#delivery.inTurn(turn)
  }

  end(end: CallReply | CallFailure): void {
    if (this.#over) return
    this.#delivery.end(this.#close(end))
  }

  /** The receiver is too slow, or holds too much of what others need: this exchange ends, no other (CARRIAGE section 7). */
  failAlone(why: 'overflow' | 'stall' | 'budget'): void {
    this.#delivery.drop()
    let failure: CallFailure = { code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: TOO_SLOW[why] }
    if (!this.#over) {
      failure = this.#close(failure)
      this.#carrier.forget(this)
    }
    this.#options.sink.fail(failure)
  }

  /** What the caller is told: a failure with the name of the exchange. */
  #close<End extends CallReply | CallFailure>(end: End): End {
    this.#over = true
    const { watch, clock, name, request } = this.#options
    const durationMs = clock.now() - this.arrivedAt
    const { requestId, method } = request
    const exchange = this.#exchange && this.#carrier.nameOf(this.#exchange)
    const facts = { requestId, exchange, method, with: name }
    if ('octets' in end) {
      watch.replied(end.kind, durationMs, facts)
      return end
    }
    watch.failed(end, durationMs, facts, true)
    return exchange === undefined ? end : { ...end, exchange }
  }
}

const TOO_SLOW = {
  overflow: 'the client takes its notifications too slowly: more than 4 MiB of them were waiting',
  stall: 'the client took nothing for 30 s',
  budget: 'the client takes its answer too slowly, and the relay needs the memory for other exchanges',
} as const
