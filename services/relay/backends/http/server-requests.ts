import { cancelledRequestId, effectOf, idKey, OUTCOME, type ScannedMessage } from '@causeway/npamp'
import type { CallFailure, ServerRequest, ServerRequestHandle, ServerRequestSink } from '../../exchanges/contract.ts'
import { failureBody, idInUseBody } from '../../exchanges/error-body.ts'
import type { RequestMessage } from './message.ts'

/** Gives a request to the client; undefined where there is none that may be asked. */
export type Asker = (request: ServerRequest, sink: ServerRequestSink) => ServerRequestHandle | undefined

export interface ServerRequestsOwner {
  /** Posts the answer to a request of the server's, in the order of its session. */
  answer(octets: Uint8Array): void
  /** There is no answer of the client's. */
  refused(): void
}

/**
 * What the backend has asked the client in one session and nobody has answered yet. Whatever becomes of a request, the
 * backend hears of it once, unless it gave the request up or the session is over.
 */
export class ServerRequests {
  readonly #owner: ServerRequestsOwner
  readonly #limit: number
  readonly #open = new Map<string, OpenServerRequest>()

  constructor(owner: ServerRequestsOwner, limit: number) {
    this.#owner = owner
    this.#limit = limit
  }

  get size(): number {
    return this.#open.size
  }

  take({ idToken, method, octets, message }: RequestMessage, ask: Asker): void {
    const key = idKey(idToken)
    if (this.#open.has(key)) {
      this.#refuse(idInUseBody(idToken))
      return
    }
    if (this.#open.size >= this.#limit) {
      this.#refuse(failureBody(idToken, tooMany(this.#limit)))
      return
    }
    const request = new OpenServerRequest((answer) => this.#ended(key, idToken, answer))
    this.#open.set(key, request)
    request.ask({ method, idToken, octets, message, effect: effectOf(method) }, ask)
  }

  /** The server's `notifications/cancelled`; false when it names no open request of the server's. */
  cancelBy(octets: Uint8Array, message: ScannedMessage): boolean {
    const idToken = cancelledRequestId(message)
    const request = idToken === undefined ? undefined : this.#open.get(idKey(idToken))
    request?.cancel({ octets, message })
    return request !== undefined
  }

  /** The session is over: nothing more is said to the backend, and nothing more is asked. */
  end(): void {
    const requests = [...this.#open.values()]
    this.#open.clear()
    for (const request of requests) request.cancel()
  }

  #ended(key: string, idToken: Uint8Array, answer: Uint8Array | CallFailure): void {
    if (!this.#open.delete(key)) return
    if (!('code' in answer)) this.#owner.answer(answer)
    else if (answer.outcome !== OUTCOME.CANCELLED) this.#refuse(failureBody(idToken, answer))
  }

  #refuse(body: Uint8Array): void {
    this.#owner.refused()
    this.#owner.answer(body)
  }
}

class OpenServerRequest implements ServerRequestSink {
  readonly #ended: (answer: Uint8Array | CallFailure) => void
  #handle: ServerRequestHandle | undefined
  #cancelled: Parameters<ServerRequestHandle['cancel']> | undefined
  #over = false

  constructor(ended: (answer: Uint8Array | CallFailure) => void) {
    this.#ended = ended
  }

  /** The client may answer before this returns. */
  ask(request: ServerRequest, ask: Asker): void {
    this.#handle = ask(request, this)
    if (this.#handle === undefined) this.fail(nobodyToAsk())
    else if (this.#cancelled !== undefined && !this.#over) this.#handle.cancel(...this.#cancelled)
  }

  cancel(...own: Parameters<ServerRequestHandle['cancel']>): void {
    if (this.#cancelled !== undefined || this.#over) return
    this.#cancelled = own
    this.#handle?.cancel(...own)
  }

  reply({ octets }: { readonly octets: Uint8Array }): void {
    this.#end(octets)
  }

  fail(failure: CallFailure): void {
    this.#end(failure)
  }

  #end(answer: Uint8Array | CallFailure): void {
    if (this.#over) return
    this.#over = true
    this.#ended(answer)
  }
}

function nobodyToAsk(): CallFailure {
  return {
    code: 'MethodUnsupported',
    outcome: OUTCOME.NOT_DELIVERED,
    message: 'there is no client here that can be asked',
  }
}

function tooMany(limit: number): CallFailure {
  return {
    code: 'QuotaExceeded',
    outcome: OUTCOME.NOT_DELIVERED,
    message: `${limit} requests of this server wait for the client's answer, a fixed limit`,
    hint: 'wait for an answer before asking again',
  }
}
