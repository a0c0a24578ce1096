import { isUtf8 } from 'node:buffer'
import { findAt, jsonKind, type ServiceParameters, sameId, scanMessage, stringValue } from '@causeway/npamp'
import type { CallFailure } from '../../exchanges/contract.ts'
import { OneWay } from './one-way.ts'
import { requestHeaders, type SessionHeaders, sessionHeaders } from './request-headers.ts'
import { type Posting, SessionQueue } from './session-queue.ts'
import type { Upstream } from './upstream.ts'

/** A request that is open in a session. */
export interface OpenRequest {
  readonly idToken: Uint8Array
  /** Sends the notification, which names this request, and ends the exchange as cancelled. */
  cancelBy(notification: Uint8Array): void
  fail(failure: CallFailure): void
  /** The same, but only while nothing of the request has left. */
  failUnsent(failure: CallFailure): void
}

/** What a session of a caller is towards the backend: its id there, its order, and the requests that are open in it. */
export class SouthboundSession implements SessionHeaders {
  /** `Session.id` of the caller. */
  readonly id: string
  readonly queue: SessionQueue
  readonly requests = new Set<OpenRequest>()
  readonly #upstream: Upstream
  readonly #onUnknown: (session: SouthboundSession) => void
  readonly #underWay = new Set<OneWay>()
  #sessionId: string | undefined
  #protocolVersion: string | undefined

  /** @param onUnknown the backend says, to anything but a request, that it does not know the session. */
  constructor(id: string, upstream: Upstream, maxQueued: number, onUnknown: (session: SouthboundSession) => void) {
    this.id = id
    this.#upstream = upstream
    this.queue = new SessionQueue(maxQueued, MAX_QUEUED_OCTETS)
    this.#onUnknown = onUnknown
  }

  get sessionId(): string | undefined {
    return this.#sessionId
  }

  get protocolVersion(): string | undefined {
    return this.#protocolVersion
  }

  /** The id of the initialize response's header; false when it is none that MCP allows. */
  setSessionId(sessionId: string): boolean {
    if (sessionId === '') return true
    if (!/^[\x21-\x7e]{1,1024}$/.test(sessionId)) return false
    this.#sessionId = sessionId
    return true
  }

  /**
   * Reads the version that later requests repeat in a header out of the initialize result, and nothing else
   * (MCP-016).
   */
  readInitializeResult(octets: Uint8Array): void {
    const { text, result } = scanMessage(octets, { isUtf8 })
    const version = result === undefined ? undefined : findAt(text, result, 'protocolVersion')
    if (version !== undefined && jsonKind(text, version) === 'string')
      this.#protocolVersion = stringValue(text, version)
  }

  /** The open request that a client's `notifications/cancelled` names, ids compared by type and value. */
  requestCancelledBy(octets: Uint8Array): OpenRequest | undefined {
    const { text, params } = scanMessage(octets, { isUtf8 })
    const span = params === undefined ? undefined : findAt(text, params, 'requestId')
    const kind = span === undefined ? undefined : jsonKind(text, span)
    if (span === undefined || (kind !== 'string' && kind !== 'number')) return undefined
    const token = text.subarray(span.start, span.end)
    for (const request of this.requests) if (sameId(request.idToken, token)) return request
    return undefined
  }

  /**
   * Posts a notification or a response when it is its turn, and lets nothing of the session go before it has its status.
   * `settled` follows exactly once. False when the queue is full or closed: nothing was taken.
   */
  postOneWay(
    kind: 'notification' | 'response',
    octets: Uint8Array,
    parameters: ServiceParameters,
    settled: Settled,
  ): boolean {
    const posting: Posting = {
      octets: octets.length,
      run: (release) => {
        const { path, acceptHeaders, telemetry } = this.#upstream
        const message = { era: 'legacy', kind, octets, parameters } as const
        const headers = requestHeaders(message, this, acceptHeaders, () => telemetry.parameterDropped())
        this.#start({ method: 'POST', path, headers, body: octets }, (status) => {
          settled(status)
          release()
        })
      },
      dropped: () => settled(0),
    }
    return this.queue.add(posting)
  }

  /** Tells the backend, behind everything that waits, that the session is over. `done` follows exactly once. */
  delete(done: () => void): void {
    this.queue.addLast({ octets: 0, run: () => this.deleteNow(done), dropped: done })
  }

  /** The same without waiting for anything. */
  deleteNow(done: () => void): void {
    if (this.#sessionId === undefined) {
      done()
      return
    }
    const headers = sessionHeaders(this)
    this.#start({ method: 'DELETE', path: this.#upstream.path, headers, body: undefined }, done)
  }

  /** Drops what waits and breaks off what is on its way. */
  abandon(): void {
    this.queue.clear()
    for (const oneWay of [...this.#underWay]) oneWay.abort()
  }

  #start(request: ConstructorParameters<typeof OneWay>[1], settled: Settled): void {
    const oneWay = new OneWay(this.#upstream, request, {
      settled: (status) => {
        this.#underWay.delete(oneWay)
        settled(status)
      },
      unknownSession: () => {
        if (this.#sessionId !== undefined) this.#onUnknown(this)
      },
    })
    this.#underWay.add(oneWay)
  }
}

/** Of one session, for a backend that leaves what came before without a status. */
const MAX_QUEUED_OCTETS = 16 * 1024 * 1024

/** The HTTP status; 0 when none came. */
export type Settled = (status: number) => void
