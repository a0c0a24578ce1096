import { idKey, OUTCOME } from '@causeway/npamp'
import type { CallFailure, ServerRequest, ServerRequestHandle, ServerRequestSink } from '../../exchanges/contract.ts'
import { failureBody, idInUseBody } from '../../exchanges/error-body.ts'
import type { ServerMessage } from './server-message.ts'

/** Where a request of the server's goes: to the client of its one open call, or of its session. */
export type Asking = (request: ServerRequest, sink: ServerRequestSink) => ServerRequestHandle

/** What one process has asked its client. Every request is answered, or cancelled by the server, or ends with the process. */
export class ServerRequests {
  readonly #open = new Map<string, OpenRequest>()
  readonly #answer: (octets: Uint8Array, release?: (() => void) | undefined) => void
  readonly #onRefused: () => void

  constructor(answer: (octets: Uint8Array, release?: (() => void) | undefined) => void, onRefused: () => void) {
    this.#answer = answer
    this.#onRefused = onRefused
  }

  get size(): number {
    return this.#open.size
  }

  /** @param ask absent where there is nobody to ask. */
  open(request: ServerRequest, ask: Asking | undefined): void {
    const { idToken } = request
    const key = idKey(idToken)
    if (this.#open.has(key)) {
      this.#onRefused()
      this.#answer(idInUseBody(idToken))
      return
    }
    const refusal = ask === undefined ? NOBODY : this.#open.size >= MAX_OPEN ? TOO_MANY : undefined
    if (ask === undefined || refusal !== undefined) {
      this.#onRefused()
      this.#answer(failureBody(idToken, refusal ?? NOBODY))
      return
    }
    const open: OpenRequest = { handle: undefined }
    this.#open.set(key, open)
    open.handle = ask(request, {
      reply: ({ octets, release }) => {
        if (this.#close(key, open)) this.#answer(octets, release)
      },
      fail: (failure) => {
        if (!this.#close(key, open) || failure.outcome === OUTCOME.CANCELLED) return
        this.#onRefused()
        this.#answer(failureBody(idToken, failure))
      },
    })
  }

  /** The server's own `notifications/cancelled`; false where it names no open request. */
  cancel(idToken: Uint8Array, { octets, message }: Pick<ServerMessage, 'octets' | 'message'>): boolean {
    const open = this.#open.get(idKey(idToken))
    open?.handle?.cancel({ octets, message })
    return open !== undefined
  }

  /** The server is gone: it hears no answer any more. */
  endAll(): void {
    const all = [...this.#open.values()]
    this.#open.clear()
    for (const { handle } of all) handle?.cancel()
  }

  /** False where it was over before. */
  #close(key: string, open: OpenRequest): boolean {
    return this.#open.get(key) === open && this.#open.delete(key)
  }
}

interface OpenRequest {
  handle: ServerRequestHandle | undefined
}

const MAX_OPEN = 256

const NOBODY: CallFailure = {
  code: 'MethodUnsupported',
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'there is no client here that can be asked',
}
const TOO_MANY: CallFailure = {
  code: 'QuotaExceeded',
  outcome: OUTCOME.NOT_DELIVERED,
  message: `${MAX_OPEN} requests of this server wait for their answers, a fixed limit`,
}
