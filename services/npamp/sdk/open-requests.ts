import type { OutgoingExchange, ScannedMessage } from '../index.ts'
import { keyOf } from './json-rpc.ts'
import type { RequestId } from './transport.ts'

export interface OpenRequest {
  readonly id: RequestId
  /** Of what became of it, `message` where there is an answer of the server's. */
  readonly onEnd?: ((kind: 'result' | 'error' | 'failed', message?: ScannedMessage) => void) | undefined
}

/** The requests of an SDK that wait for an answer: by exchange, and by the id that it gave them. */
export class OpenRequests {
  readonly #byExchange = new Map<OutgoingExchange, OpenRequest>()
  readonly #byId = new Map<string, OutgoingExchange>()

  get size(): number {
    return this.#byExchange.size
  }

  /** A copy: whoever walks it may end them. */
  get exchanges(): OutgoingExchange[] {
    return [...this.#byExchange.keys()]
  }

  add(exchange: OutgoingExchange, request: OpenRequest): void {
    this.#byExchange.set(exchange, request)
    this.#byId.set(keyOf(request.id), exchange)
  }

  find(id: RequestId): OutgoingExchange | undefined {
    return this.#byId.get(keyOf(id))
  }

  /** It waits no more. Undefined when it did not wait. */
  take(exchange: OutgoingExchange): OpenRequest | undefined {
    const request = this.#byExchange.get(exchange)
    if (request === undefined) return undefined
    this.#byExchange.delete(exchange)
    this.#byId.delete(keyOf(request.id))
    return request
  }

  clear(): void {
    this.#byExchange.clear()
    this.#byId.clear()
  }
}
