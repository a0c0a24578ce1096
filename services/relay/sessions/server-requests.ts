import { idKey, OUTCOME } from '@causeway/npamp'
import type {
  CallFailure,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestReply,
  ServerRequestSink,
} from '../exchanges/contract.ts'

/** How one request of the server's reaches the client. */
export interface ServerRequestStream {
  /** Shows it the request; `onLost` is called if it can never be shown. */
  ask(octets: Uint8Array, onLost: () => void): void
  /** Shows it what the server says of the request afterwards, where the request went. */
  tell(octets: Uint8Array): void
}

/** The requests of the server that the client of one session has not answered (CARRIAGE section 2: one scope of ids). */
export class ServerRequests {
  readonly #limit: number
  readonly #open = new Map<string, ServerRequestSink>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#open.size
  }

  open(request: ServerRequest, sink: ServerRequestSink, stream: ServerRequestStream): ServerRequestHandle {
    const key = idKey(request.idToken)
    const refusal = this.#open.has(key) ? ID_IN_USE : this.#open.size >= this.#limit ? tooMany(this.#limit) : undefined
    if (refusal !== undefined) {
      sink.fail(refusal)
      return NOTHING_TO_CANCEL
    }
    this.#open.set(key, sink)
    stream.ask(request.octets, () => this.#take(key, sink)?.fail(NEVER_SHOWN))
    return {
      cancel: (own) => {
        if (this.#take(key, sink) === undefined) return
        if (own !== undefined) stream.tell(own.octets)
        sink.fail(CANCELLED)
      },
    }
  }

  /** The client's answer; false when it answers nothing that is open. */
  answer(idToken: Uint8Array, reply: ServerRequestReply): boolean {
    const key = idKey(idToken)
    const sink = this.#open.get(key)
    if (sink === undefined) return false
    this.#open.delete(key)
    sink.reply(reply)
    return true
  }

  failAll(failure: CallFailure): void {
    const sinks = [...this.#open.values()]
    this.#open.clear()
    for (const sink of sinks) sink.fail(failure)
  }

  /** Undefined when this one has had its end, even where another has the id since. */
  #take(key: string, sink: ServerRequestSink): ServerRequestSink | undefined {
    if (this.#open.get(key) !== sink) return undefined
    this.#open.delete(key)
    return sink
  }
}

/** Outside any session, or when it has ended, nobody could answer. */
export function refuseServerRequest(sink: ServerRequestSink, message: string): ServerRequestHandle {
  sink.fail({ code: 'NotDelivered', message, outcome: OUTCOME.NOT_DELIVERED })
  return NOTHING_TO_CANCEL
}

const NOTHING_TO_CANCEL: ServerRequestHandle = { cancel() {} }

const ID_IN_USE: CallFailure = {
  code: 'NotDelivered',
  message: 'a request with an equal id is still open in this session',
  outcome: OUTCOME.NOT_DELIVERED,
}

const NEVER_SHOWN: CallFailure = {
  code: 'NotDelivered',
  message: 'the client did not come to take the request, and more events wait for it than are held',
  outcome: OUTCOME.NOT_DELIVERED,
}

/** CARRIAGE section 5: never shown to the server, which knows. */
const CANCELLED: CallFailure = { code: 'NotDelivered', message: 'cancelled', outcome: OUTCOME.CANCELLED }

function tooMany(limit: number): CallFailure {
  return {
    code: 'QuotaExceeded',
    message: `the client of this session has ${limit} requests to answer already, a fixed limit`,
    outcome: OUTCOME.NOT_DELIVERED,
  }
}
