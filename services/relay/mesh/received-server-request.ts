import { type IncomingExchange, OUTCOME, type ScannedMessage } from '@causeway/npamp'
import type {
  CallFailure,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestReply,
  ServerRequestSink,
} from '../exchanges/contract.ts'
import type { Turn } from './delivery.ts'

/** A call or a session of a client of this relay, as far as its server may ask it something. */
export interface Askable {
  ask(request: ServerRequest, answer: ServerRequestSink): ServerRequestHandle | undefined
  inTurn(turn: Turn): void
}

export interface ReceivedServerRequestOptions {
  readonly exchange: IncomingExchange
  readonly request: ServerRequest
  readonly client: Askable
  readonly arrivedAt: number
  /** Exactly once, unless it was abandoned. */
  readonly onEnd: (end: ServerRequestReply | CallFailure) => void
}

/** A request of a server behind a peer to a client of this relay, until its one answer. */
export class ReceivedServerRequest implements ServerRequestSink, Turn {
  readonly exchange: IncomingExchange
  readonly request: ServerRequest
  readonly arrivedAt: number
  readonly #options: ReceivedServerRequestOptions
  #handle: ServerRequestHandle | undefined
  #over = false

  constructor(options: ReceivedServerRequestOptions) {
    this.exchange = options.exchange
    this.request = options.request
    this.arrivedAt = options.arrivedAt
    this.#options = options
  }

  start(): void {
    this.#options.client.inTurn(this)
  }

  // --- Turn ---

  come(): void {
    if (this.#over) return
    this.#handle = this.#options.client.ask(this.request, this)
    if (this.#handle === undefined) this.lost()
  }

  lost(): void {
    this.fail(NOT_REACHED)
  }

  // --- ServerRequestSink ---

  reply(reply: ServerRequestReply): void {
    this.#end(reply)
  }

  fail(failure: CallFailure): void {
    this.#end(failure)
  }

  // --- from the peer ---

  /** In the server's own words (CARRIAGE section 5); the client's answer may still win. */
  cancel(own: { readonly octets: Uint8Array; readonly message: ScannedMessage }): void {
    if (this.#handle !== undefined) this.#handle.cancel(own)
    else this.fail(CANCELLED_UNSEEN)
  }

  /** Nobody waits for the answer any more, and nobody is told of it. */
  abandon(): void {
    this.#over = true
    this.#handle?.cancel()
  }

  #end(end: ServerRequestReply | CallFailure): void {
    if (this.#over) return
    this.#over = true
    this.#options.onEnd(end)
  }
}

const NOT_REACHED: CallFailure = {
  code: 'NotDelivered',
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'the client takes too slowly what its server says, or is gone',
}
const CANCELLED_UNSEEN: CallFailure = {
  code: 'NotDelivered',
  outcome: OUTCOME.CANCELLED,
  message: 'the server gave the request up before the client saw it',
}
