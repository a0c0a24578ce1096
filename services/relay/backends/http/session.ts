import { isUtf8 } from 'node:buffer'
import {
  cancelledRequestId,
  findAt,
  jsonKind,
  type ServiceParameters,
  sameId,
  scanMessage,
  stringValue,
} from '@causeway/npamp'
import type { CallFailure, SessionClient } from '../../exchanges/contract.ts'
import { EndpointStream } from './endpoint-stream.ts'
import { openListeningStream } from './listening-stream.ts'
import type { ReplyMessage } from './message.ts'
import { OneWay } from './one-way.ts'
import type { OpenRequest } from './open-request.ts'
import { requestHeaders, type SessionHeaders, sessionHeaders } from './request-headers.ts'
import { ServerRequests } from './server-requests.ts'
import { SessionInbox } from './session-inbox.ts'
import { type Posting, SessionQueue } from './session-queue.ts'
import type { SessionStream } from './session-stream.ts'
import { ToldEvents } from './told-events.ts'
import type { Upstream } from './upstream.ts'

export interface SessionOptions {
  /** `Session.id` of the caller. */
  readonly id: string
  readonly client: SessionClient | undefined
  readonly maxQueued: number
  /** The backend says, to anything but a request, that it does not know the session. */
  readonly onUnknown: (session: SouthboundSession) => void
  /** The stream that all answers of the session come on is over, or never came. */
  readonly onStreamOver: (session: SouthboundSession, failure: CallFailure) => void
}

/** What a session of a caller is towards the backend: its id there, its order, and the requests that are open in it. */
export class SouthboundSession implements SessionHeaders {
  readonly id: string
  readonly client: SessionClient | undefined
  readonly queue: SessionQueue
  readonly requests = new Set<OpenRequest>()
  readonly serverRequests: ServerRequests
  readonly toldEvents = new ToldEvents()
  /** Revision 2024-11-05: posts have no answers but their status. */
  readonly answersOnStream: boolean
  readonly #options: SessionOptions
  readonly #upstream: Upstream
  readonly #inbox: SessionInbox
  readonly #underWay = new Set<OneWay>()
  #stream: SessionStream | undefined
  #onStreamDecided: () => void = () => {}
  #path: string | undefined
  #sessionId: string | undefined
  #protocolVersion: string | undefined
  #over = false

  constructor(upstream: Upstream, options: SessionOptions) {
    const { telemetry, transport, maxServerRequests } = upstream
    this.id = options.id
    this.client = options.client
    this.answersOnStream = transport === 'httpSse'
    this.queue = new SessionQueue(options.maxQueued, MAX_QUEUED_OCTETS)
    this.serverRequests = new ServerRequests(
      { answer: (octets) => this.#answer(octets), refused: () => telemetry.serverRequestAnswered() },
      maxServerRequests,
    )
    this.#options = options
    this.#upstream = upstream
    this.#inbox = new SessionInbox(this, telemetry, this.answersOnStream)
  }

  get sessionId(): string | undefined {
    return this.#sessionId
  }

  get protocolVersion(): string | undefined {
    return this.#protocolVersion
  }

  /** Where its messages are posted to. */
  get path(): string {
    return this.#path ?? this.#upstream.path
  }

  /** Whether the backend has given it a name of its own, so that a 404 means that it does not know it any more. */
  get isKnown(): boolean {
    return this.#sessionId !== undefined || this.#path !== undefined
  }

  /** Holds back what is posted in it until the backend is ready for it. */
  open(): void {
    if (!this.answersOnStream) return
    this.queue.add({ octets: 0, run: (release) => this.#openEndpointStream(release), dropped: () => {} })
  }

  #openEndpointStream(opened: () => void): void {
    this.#stream = new EndpointStream(this.#upstream, {
      messages: this.#inbox,
      endpoint: (path) => {
        this.#path = path
        opened()
      },
      over: (failure) => this.#options.onStreamOver(this, failure),
    })
  }

  /**
   * Hears from now on what the backend says outside answers, where it has a stream for that and there is a client. What
   * is posted next waits a moment for the stream: many servers drop what they have to say while there is none.
   */
  listen(): void {
    this.queue.addFirst({ octets: 0, run: (release) => this.#openListeningStream(release), dropped: () => {} })
  }

  #openListeningStream(release: () => void): void {
    if (this.#over || this.#stream !== undefined || this.client === undefined) {
      release()
      return
    }
    const { clock, listenLimitMs } = this.#upstream
    const timer = clock.setTimeout(release, listenLimitMs)
    this.#onStreamDecided = () => {
      clock.clearTimeout(timer)
      release()
    }
    const onUnknown = () => this.#options.onUnknown(this)
    const decided = () => this.#onStreamDecided()
    this.#stream = openListeningStream(this.#upstream, this, this.#inbox, decided, onUnknown)
  }

  /** The answer to any call of the session, on a stream that is not that call's own. */
  takeReply(message: ReplyMessage): void {
    this.#inbox.reply(message)
  }

  resumeStream(): void {
    this.#stream?.resume()
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
    const token = cancelledRequestId(scanMessage(octets, { isUtf8 }))
    if (token === undefined) return undefined
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
        const { acceptHeaders, telemetry } = this.#upstream
        const message = { era: 'legacy', kind, octets, parameters } as const
        const headers = requestHeaders(message, this, acceptHeaders, () => telemetry.parameterDropped())
        this.#start({ method: 'POST', path: this.path, headers, body: octets }, (status) => {
          settled(status)
          release()
        })
      },
      dropped: () => settled(0),
    }
    return this.queue.add(posting)
  }

  #answer(octets: Uint8Array): void {
    const { telemetry } = this.#upstream
    const settled = (status: number) => telemetry.settled(status)
    if (!this.postOneWay('response', octets, NO_PARAMETERS, settled)) telemetry.notificationDropped('queue_full')
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
    this.#start({ method: 'DELETE', path: this.path, headers, body: undefined }, done)
  }

  /** Nothing more is asked in it. What is open may still be answered until it is abandoned. */
  stop(): void {
    this.#over = true
    this.serverRequests.end()
    this.#onStreamDecided()
    if (!this.answersOnStream) this.#stream?.close()
  }

  /** Drops what waits, and hears nothing more outside answers. */
  forget(): void {
    this.stop()
    this.queue.clear()
    this.#stream?.close()
  }

  /** The same, and breaks off what is on its way. */
  abandon(): void {
    this.forget()
    for (const oneWay of [...this.#underWay]) oneWay.abort()
  }

  #start(request: ConstructorParameters<typeof OneWay>[1], settled: Settled): void {
    const oneWay = new OneWay(this.#upstream, request, {
      settled: (status) => {
        this.#underWay.delete(oneWay)
        settled(status)
      },
      unknownSession: () => {
        if (this.isKnown) this.#options.onUnknown(this)
      },
    })
    this.#underWay.add(oneWay)
  }
}

/** Of one session, for a backend that leaves what came before without a status. */
const MAX_QUEUED_OCTETS = 16 * 1024 * 1024
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

/** The HTTP status; 0 when none came. */
export type Settled = (status: number) => void
