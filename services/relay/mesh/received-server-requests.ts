import { type Bridge, type BridgeEvent, type IncomingExchange, idKey, OUTCOME } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { CallFailure, ServerRequestReply } from '../exchanges/contract.ts'
import { effectHere } from './effect-here.ts'
import type { ExchangeWatch } from './exchange-watch.ts'
import { failureToPeer } from './failures.ts'
import { ASSOCIATION_BUDGET_OCTETS, type ProcessBudget, type ReadBudget } from './read-budget.ts'
import { type Askable, ReceivedServerRequest } from './received-server-request.ts'
import { ID_IN_USE, NOT_JSON, type Refusal, TOO_MUCH } from './refusals.ts'
import { ReplyRoom } from './reply-room.ts'
import { MAX_SERVER_REQUESTS } from './sent-server-requests.ts'

export interface ReceivedServerRequestsOptions {
  readonly bridge: Bridge
  readonly clock: Clock
  readonly budget: ReadBudget
  readonly processBudget: ProcessBudget
  readonly watch: ExchangeWatch
  /** `namespace/name` of the peer, for logs. */
  readonly peerName: string
  /** Names the exchange in the logs of both relays. */
  readonly nameOf: (ordinal: number) => string
  readonly queueFull: () => boolean
  readonly queuedOctets: () => number
  readonly flush: () => void
  /** An exchange ended: the association may be idle now. */
  readonly onEnded: () => void
}

/** Whom a request of a server's is for, and within which scope its id is unique (CARRIAGE section 2). */
export interface Asked {
  readonly client: Askable
  readonly scope: object
}

/** The open requests of servers behind one peer to clients of this relay, over one association. */
export class ReceivedServerRequests {
  readonly #options: ReceivedServerRequestsOptions
  readonly #byExchange = new Map<IncomingExchange, Open>()
  /** By scope, then by id. */
  readonly #ids = new Map<object, Map<string, Open>>()
  /** Answers of clients that the peer has not been sent yet: counted like all that waits. */
  readonly #room: ReplyRoom<ReceivedServerRequest>

  constructor(options: ReceivedServerRequestsOptions) {
    this.#options = options
    const { processBudget, queueFull } = options
    this.#room = new ReplyRoom({ process: processBudget, queueFull, onRoom: () => {} })
  }

  owns(exchange: IncomingExchange): boolean {
    return this.#byExchange.has(exchange)
  }

  /** Asks the client, or tells the peer why not. */
  request({ exchange, message }: BridgeEvent & { type: 'request' }, { client, scope }: Asked): void {
    const { clock, watch, budget } = this.#options
    const idToken = message?.idToken
    if (message === undefined || idToken === undefined) {
      this.refuse(exchange, NOT_JSON)
      return
    }
    const id = idKey(idToken)
    const refusal = this.#mayNot(message.text.length, scope, id)
    if (refusal !== undefined) {
      this.refuse(exchange, refusal)
      return
    }
    const { method } = exchange
    const received = new ReceivedServerRequest({
      exchange,
      request: { method, idToken, octets: message.text, message, effect: effectHere(exchange, watch) },
      client,
      arrivedAt: clock.now(),
      onEnd: (end) => this.#ended(open, end),
    })
    const open: Open = { received, scope, id }
    this.#byExchange.set(exchange, open)
    this.#idsIn(scope).set(id, open)
    budget.hold(message.text.length)
    watch.opened()
    received.start()
  }

  refuse(exchange: IncomingExchange, refusal: Refusal): void {
    const { bridge, clock, flush, watch, peerName, nameOf } = this.#options
    bridge.fail(exchange, refusal, clock.now())
    flush()
    const facts = { requestId: nameOf(exchange.ordinal), method: exchange.method, with: peerName }
    watch.refused(refusal.outcome, facts, refusal.message)
  }

  cancel({ exchange, octets, message }: BridgeEvent & { type: 'cancel' }): void {
    const open = this.#byExchange.get(exchange)
    this.#options.watch.cancelled('received', open === undefined ? 'over' : 'passed_on')
    open?.received.cancel({ octets, message })
  }

  /** The association ended. */
  abandoned({ exchange }: BridgeEvent & { type: 'abandoned' }): void {
    const open = this.#byExchange.get(exchange)
    if (open !== undefined) this.#abandon(open, ASSOCIATION_ENDED)
  }

  /** The session ended: its client is asked nothing more, and the peer waits for no answers of it. */
  endOf(scope: object): void {
    const { bridge, clock, flush } = this.#options
    const left = [...(this.#ids.get(scope)?.values() ?? [])]
    for (const open of left) {
      bridge.fail(open.received.exchange, failureToPeer(SESSION_ENDED), clock.now())
      this.#abandon(open, SESSION_ENDED)
    }
    if (left.length > 0) flush()
  }

  /** The association ended, and all exchanges with it. */
  close(): void {
    this.#room.close()
  }

  #mayNot(octets: number, scope: object, id: string): Refusal | undefined {
    const { budget, queuedOctets } = this.#options
    const open = this.#ids.get(scope)
    if (open?.has(id)) return ID_IN_USE
    if (open !== undefined && open.size >= MAX_SERVER_REQUESTS) return TOO_MUCH
    return budget.admits(octets) && queuedOctets() <= ASSOCIATION_BUDGET_OCTETS ? undefined : TOO_MUCH
  }

  #ended(open: Open, end: ServerRequestReply | CallFailure): void {
    const { bridge, clock, flush } = this.#options
    const { exchange } = open.received
    if ('octets' in end) this.#respond(open.received, end)
    else bridge.fail(exchange, failureToPeer(end), clock.now())
    flush()
    this.#forget(open, end)
  }

  #respond(received: ReceivedServerRequest, { kind, octets, message, release }: ServerRequestReply): void {
    const { bridge, clock } = this.#options
    const leaveRoom = this.#room.queued(received, octets.length)
    const onTaken = () => {
      release?.()
      leaveRoom()
    }
    const reply = { kind, octets, message, onTaken }
    if (bridge.respond(received.exchange, reply, clock.now()) !== 'queued') leaveRoom()
  }

  #abandon(open: Open, why: CallFailure): void {
    open.received.abandon()
    this.#forget(open, why)
  }

  #forget(open: Open, end: ServerRequestReply | CallFailure): void {
    const { clock, budget, watch, peerName, nameOf, onEnded } = this.#options
    const { received, scope, id } = open
    const { exchange, request, arrivedAt } = received
    this.#byExchange.delete(exchange)
    const ids = this.#ids.get(scope)
    ids?.delete(id)
    if (ids?.size === 0) this.#ids.delete(scope)
    budget.release(request.octets.length)
    const facts = { requestId: nameOf(exchange.ordinal), method: request.method, with: peerName }
    if ('octets' in end) watch.replied(end.kind, clock.now() - arrivedAt, facts)
    else watch.failed(end, clock.now() - arrivedAt, facts)
    onEnded()
  }

  #idsIn(scope: object): Map<string, Open> {
    const known = this.#ids.get(scope)
    if (known !== undefined) return known
    const ids = new Map<string, Open>()
    this.#ids.set(scope, ids)
    return ids
  }
}

interface Open {
  readonly received: ReceivedServerRequest
  readonly scope: object
  readonly id: string
}

const SESSION_ENDED: CallFailure = {
  code: 'NotDelivered',
  outcome: OUTCOME.UNKNOWN,
  message: 'the session ended before its client answered',
}
const ASSOCIATION_ENDED: CallFailure = {
  code: 'NotDelivered',
  outcome: OUTCOME.UNKNOWN,
  message: 'the association ended before the client answered',
}
