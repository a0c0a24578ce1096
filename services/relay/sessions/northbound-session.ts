import { OUTCOME } from '@causeway/npamp'
import type {
  ServerRequest,
  ServerRequestHandle,
  ServerRequestReply,
  ServerRequestSink,
  Session,
  SessionClient,
} from '../exchanges/contract.ts'
import type { Route } from '../router/route.ts'
import { refuseServerRequest, type ServerRequestStream, ServerRequests } from './server-requests.ts'
import { type EventBudget, type EventLimits, type HeldEvent, SessionEvents } from './session-events.ts'
import { parseEventId, SessionStream, type StreamHost, type StreamView } from './session-stream.ts'

/** What the sessions of one edge share. */
export interface SessionShared {
  readonly events: EventLimits
  readonly budget: EventBudget
  readonly maxServerRequests: number
  /** An event that a client could have asked for is no longer held. */
  readonly onEventDropped: () => void
  /** The server said something outside any call. */
  readonly onNotification: (session: NorthboundSession, octets: Uint8Array) => void
}

export interface SessionStart {
  readonly edgeId: string
  readonly key: Uint8Array
  /** Hex of `key`. */
  readonly id: string
  readonly route: Route
  readonly principal: string
}

/** The first revision whose streams open with an event without data; revisions are dates and compare as text. */
const FIRST_PRIMED_REVISION = '2025-11-25'
/** The one revision that has batches. */
const BATCH_REVISION = '2025-03-26'
/** The number of the stream for what belongs to no request: the GET stream. */
const GENERAL = 0

const MAX_SILENT_ENDS = 64

/**
 * One legacy MCP session as the edge knows it: what the client names it by, what crosses, which ids are open in it, and what
 * the server says in it. Streams and events are made when something is said: most sessions are silent.
 */
export class NorthboundSession implements SessionClient, StreamHost {
  /** What the client sends as Mcp-Session-Id: unguessable, and never the key that crosses the mesh. */
  readonly edgeId: string
  readonly session: Session
  readonly route: Route
  /** Whose session it is: nobody else finds it. */
  readonly principal: string
  lastUsedMs: number
  /** The revision that `initialize` agreed on, once it has. */
  revision: string | undefined
  #openedViews: Set<StreamView> | undefined
  readonly #shared: SessionShared
  readonly #openIds = new Set<string>()
  #onUnused: (() => void) | undefined
  #uses = 0
  #ended = false
  #requests: ServerRequests | undefined
  #events: SessionEvents | undefined
  #streams: Map<number, SessionStream> | undefined
  #lastStream = GENERAL
  /** Streams of calls that were cancelled: their clients may still ask what became of them. */
  #silentEnds: Set<number> | undefined
  /** Sources of what belongs to no request, waiting for the client to catch up. */
  #waiting: Set<() => void> | undefined

  constructor(start: SessionStart, nowMs: number, shared: SessionShared) {
    this.edgeId = start.edgeId
    this.session = { key: start.key, id: start.id, client: this }
    this.route = start.route
    this.principal = start.principal
    this.lastUsedMs = nowMs
    this.#shared = shared
  }

  /** Whether its streams open with an event without data. */
  get primes(): boolean {
    return this.revision !== undefined && this.revision >= FIRST_PRIMED_REVISION
  }

  get hasBatches(): boolean {
    return this.revision === BATCH_REVISION
  }

  // --- ids and use ---

  /** False when a request with an equal id is still open in this session (CARRIAGE section 2); `idKey` of the id's token. */
  takeId(idKey: string): boolean {
    if (this.#openIds.has(idKey)) return false
    this.#openIds.add(idKey)
    return true
  }

  releaseId(idKey: string, nowMs: number): void {
    this.#openIds.delete(idKey)
    this.lastUsedMs = nowMs
    if (this.#openIds.size === 0) this.#onUnused?.()
  }

  /** Calls back, now or later, when no request is open in it. */
  whenUnused(callback: () => void): void {
    this.#onUnused = callback
    if (this.#openIds.size === 0) callback()
  }

  /** The client holds a connection for something of this session. */
  beginUse(): void {
    this.#uses++
  }

  endUse(nowMs: number): void {
    this.#uses--
    this.lastUsedMs = nowMs
  }

  /**
   * A session whose client waits for something is in use, however long that takes. One whose client is gone is not, though
   * calls of it may go on.
   */
  isIdle(nowMs: number, idleMs: number): boolean {
    return this.#uses === 0 && nowMs - this.lastUsedMs >= idleMs
  }

  // --- what the server says outside any call ---

  notification(octets: Uint8Array, onRoom: () => void): 'ok' | 'wait' {
    if (this.#ended) return 'ok'
    this.#shared.onNotification(this, octets)
    if (this.general().event(octets) === 'ok') return 'ok'
    this.#waiting ??= new Set()
    this.#waiting.add(onRoom)
    return 'wait'
  }

  request(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle {
    return this.askClient(request, sink, {
      ask: (octets, onLost) => this.general().event(octets, onLost),
      tell: (octets) => this.tell(octets),
    })
  }

  // --- requests of the server ---

  /** Puts a request to the client, on whichever stream. */
  askClient(request: ServerRequest, sink: ServerRequestSink, stream: ServerRequestStream): ServerRequestHandle {
    if (this.#ended) return refuseServerRequest(sink, 'the session of the client has ended')
    this.#requests ??= new ServerRequests(this.#shared.maxServerRequests)
    return this.#requests.open(request, sink, stream)
  }

  /** The client's answer to a request of the server's; false when it answers nothing that is open. */
  answer(idToken: Uint8Array, reply: ServerRequestReply): boolean {
    return this.#requests?.answer(idToken, reply) ?? false
  }

  /** Says something on the stream for what belongs to no request. */
  tell(octets: Uint8Array): void {
    if (!this.#ended) this.general().event(octets)
  }

  // --- streams ---

  /** The stream for what belongs to no request. */
  general(): SessionStream {
    return this.#stream(GENERAL) ?? this.#addStream(GENERAL, () => this.#wake())
  }

  /** The stream of one POST; `onRoom` as of SessionStream. */
  openStream(onRoom: () => void): SessionStream {
    return this.#addStream(++this.#lastStream, onRoom)
  }

  /**
   * Where a client goes on that saw the event of this id last. 'over': nothing followed that event, and nothing will. 'lost':
   * there is no such event, or what followed it is held no more.
   */
  resume(lastEventId: string): { readonly stream: SessionStream; readonly after: number } | 'over' | 'lost' {
    const id = parseEventId(lastEventId)
    if (id === undefined) return 'lost'
    const stream = this.#stream(id.stream)
    if (stream === undefined) return this.#silentEnds?.has(id.stream) === true ? 'over' : 'lost'
    const follows = stream.follows(id.sequence)
    if (follows === 'something') return { stream, after: id.sequence }
    return follows === 'nothing' ? 'over' : 'lost'
  }

  /** Whether the client may open one more response by GET: one that takes the place of another always may. */
  mayOpen(stream: SessionStream, limit: number): boolean {
    const opened = this.#openedViews
    return opened === undefined || opened.size < limit || (stream.view !== undefined && opened.has(stream.view))
  }

  /** A response to a GET shows a stream, until `closed`. */
  opened(view: StreamView): void {
    this.#openedViews ??= new Set()
    this.#openedViews.add(view)
    this.#uses++
  }

  closed(view: StreamView, nowMs: number): void {
    if (this.#openedViews?.delete(view) === true) this.endUse(nowMs)
  }

  // --- StreamHost ---

  hold(stream: SessionStream, sequence: number, octets: Uint8Array): boolean {
    if (this.#ended) return false
    const { events, budget, onEventDropped } = this.#shared
    this.#events ??= new SessionEvents(events, budget, onEventDropped)
    return this.#events.add(stream, sequence, octets)
  }

  heldAfter(stream: SessionStream, sequence: number): Iterable<HeldEvent> {
    return this.#events?.after(stream, sequence) ?? []
  }

  endedSilently(stream: SessionStream): void {
    this.#silentEnds ??= new Set()
    this.#silentEnds.add(stream.number)
    const [oldest] = this.#silentEnds
    if (this.#silentEnds.size > MAX_SILENT_ENDS && oldest !== undefined) this.#silentEnds.delete(oldest)
  }

  forget(stream: SessionStream): void {
    this.#streams?.delete(stream.number)
  }

  /** Nothing more is said in it, and nothing more comes of it. Answers that are under way still reach the client. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#requests?.failAll(SESSION_ENDED)
    this.#stream(GENERAL)?.end()
    this.#events?.clear()
    this.#streams = undefined
    this.#wake()
  }

  #stream(number: number): SessionStream | undefined {
    return this.#streams?.get(number)
  }

  #addStream(number: number, onRoom: () => void): SessionStream {
    const stream = new SessionStream(number, this, onRoom)
    this.#streams ??= new Map()
    this.#streams.set(number, stream)
    return stream
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const onRoom of waiting ?? []) onRoom()
  }
}

const SESSION_ENDED = {
  code: 'SessionLost',
  message: 'the session of the client has ended',
  outcome: OUTCOME.SESSION_LOST,
} as const
