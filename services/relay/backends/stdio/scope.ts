import { isUtf8 } from 'node:buffer'
import { CANCELLED_METHOD, MalformedError, type ScannedMessage, scanMessage } from '@causeway/npamp'
import type {
  CallFailure,
  CallHandle,
  CallReply,
  CallRequest,
  CallSink,
  ClientNotification,
  Era,
  Session,
  SessionClient,
  SessionEndReason,
} from '../../exchanges/contract.ts'
import type { BackendScope, SessionLostCallback } from '../contract.ts'
import { notJsonRpc, notSent, sessionLost, stopping, unknown } from '../http/failures.ts'
import type { Conversation, ConversationOwner } from './conversation.ts'
import { eraReply, noSessionReply } from './era.ts'
import { Exchange, type ExchangeEnd, type ExchangeHost } from './exchange.ts'
import { processEndedUnsent, tooManyProcesses } from './failures.ts'
import type { ProcessPool } from './process-pool.ts'
import type { ProcessQuota } from './process-quota.ts'
import type { Processes } from './processes.ts'
import type { StdioTelemetry } from './telemetry.ts'

/** What the scopes of one backend share. */
export interface ScopeHost {
  readonly name: string
  readonly closing: boolean
  readonly quota: ProcessQuota
  readonly telemetry: StdioTelemetry
  readonly processes: Processes
  readonly pool: ProcessPool
  readonly exchanges: ExchangeHost
  opened(exchange: Exchange): void
  ended(exchange: Exchange, how: ExchangeEnd): void
  sessionOpened(): void
  sessionEnded(reason: string): void
  scopeEnded(scope: StdioBackendScope): void
}

/** The sessions and exchanges of one caller with one backend. */
export class StdioBackendScope implements BackendScope {
  readonly name: string
  readonly #host: ScopeHost
  readonly #onSessionLost: SessionLostCallback
  /** One process each, by `Session.id`. */
  readonly #sessions = new Map<string, Conversation>()
  /** One process each, too. */
  readonly #listens = new Set<Conversation>()
  #retiring = false

  constructor(host: ScopeHost, onSessionLost: SessionLostCallback) {
    this.name = host.name
    this.#host = host
    this.#onSessionLost = onSessionLost
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const message = request.message ?? scanned(request.octets)
    if (this.#host.closing || message === undefined) {
      return this.#refuse(sink, message === undefined ? notJsonRpc() : stopping())
    }
    const call: Call = { request, message, sink }
    if (request.era === 'modern') return this.#callModern(call)
    return request.session === undefined
      ? this.#answer(call, this.#noSession(request))
      : this.#callIn(request.session, call)
  }

  notify({ era, session, method, octets, message }: ClientNotification): void {
    const { calls } = this.#host.telemetry
    if (this.#host.closing) {
      calls.notificationDropped('closing')
      return
    }
    // Outside a session there is no process that it could be for.
    const conversation = session === undefined ? undefined : this.#sessions.get(session.id)
    if (conversation === undefined) {
      calls.notificationDropped('unknown_session')
      if (session !== undefined && era === 'legacy') this.#onSessionLost(session.id, 'unknown')
      return
    }
    if (method === CANCELLED_METHOD) {
      const read = message ?? scanned(octets)
      const call = read && conversation.callCancelledBy(read)
      call?.cancelBy(octets)
      if (call !== undefined) return
    }
    if (!conversation.send({ octets })) calls.notificationDropped('queue_full')
  }

  endSession(session: Session, reason: SessionEndReason): void {
    const conversation = this.#sessions.get(session.id)
    if (conversation !== undefined && this.#forget(session.id, conversation, reason)) close(conversation)
  }

  knows(sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  /** Another backend takes the place of this one: sessions are lost to their clients as soon as nothing is open in them. */
  retire(): void {
    this.#retiring = true
    for (const [id, conversation] of [...this.#sessions]) this.#retireIfUnused(id, conversation)
  }

  end(reason: SessionEndReason): void {
    this.endAll(reason)
    this.#host.scopeEnded(this)
  }

  endAll(reason: SessionEndReason): void {
    for (const [id, conversation] of [...this.#sessions]) {
      if (this.#forget(id, conversation, reason)) close(conversation)
    }
    for (const conversation of [...this.#listens]) close(conversation)
  }

  // --- the modern era ---

  #callModern(call: Call): CallHandle {
    const otherEra = this.#host.exchanges.era.refusalOf(call.request)
    if (otherEra !== undefined) return this.#answer(call, otherEra)
    if (call.request.method === 'subscriptions/listen') return this.#listen(call)
    const { pool } = this.#host
    const exchange = this.#open(call, false, (ended) => pool.ended(ended))
    const refusal = pool.enter(exchange)
    if (refusal !== undefined) exchange.fail(refusal)
    return exchange
  }

  /** It may last for days, so it does not take the place of others in the pool. */
  #listen(call: Call): CallHandle {
    const refusal = this.#mayStart('modern', call.request.principal)
    if (refusal !== undefined) return this.#refuse(call.sink, refusal)
    const conversation = this.#start(
      {
        over: processEndedUnsent,
        gone: () => this.#listens.delete(conversation),
      },
      { era: 'modern', principal: call.request.principal },
    )
    this.#listens.add(conversation)
    const exchange = this.#open(call, false, () => conversation.stop())
    exchange.begin(conversation)
    return exchange
  }

  // --- sessions ---

  #callIn(session: Session, call: Call): CallHandle {
    const known = this.#sessions.get(session.id)
    if (known !== undefined) {
      const exchange = this.#open(call, false, () => this.#callEnded(session.id, known))
      exchange.begin(known)
      return exchange
    }
    if (call.request.method !== 'initialize') return this.#refuse(call.sink, sessionLost())
    const refusal = this.#mayStart('legacy', call.request.principal)
    return refusal === undefined ? this.#openSession(session, call) : this.#refuse(call.sink, refusal)
  }

  #openSession(session: Session, call: Call): CallHandle {
    let isOpening = true
    let isLost = false
    const owner: ConversationOwner = {
      over: (end) => {
        // The failure of initialize says it itself.
        isLost = this.#forget(session.id, conversation, 'backend') && !isOpening
        return isOpening ? processEndedUnsent(end) : sessionLost()
      },
      callsEnded: () => {
        if (isLost) this.#onSessionLost(session.id, 'backend')
      },
      gone: () => {},
    }
    const conversation = this.#start(owner, { era: 'legacy', principal: call.request.principal }, session.client)
    this.#sessions.set(session.id, conversation)
    this.#host.sessionOpened()
    const exchange = this.#open(call, true, (_exchange, how) => {
      isOpening = false
      // Whatever is not a result to initialize leaves no session behind.
      if (how !== 'result' && this.#forget(session.id, conversation, 'refused')) close(conversation)
      else this.#callEnded(session.id, conversation)
    })
    exchange.begin(conversation)
    return exchange
  }

  /** Once the caller has the answer that is on its way to it. */
  #callEnded(id: string, conversation: Conversation): void {
    if (this.#retiring) queueMicrotask(() => this.#retireIfUnused(id, conversation))
  }

  #retireIfUnused(id: string, conversation: Conversation): void {
    if (conversation.hasCalls || !this.#forget(id, conversation, 'policy')) return
    close(conversation)
    this.#onSessionLost(id, 'backend')
  }

  /** False when it was forgotten before. */
  #forget(id: string, conversation: Conversation, reason: string): boolean {
    if (this.#sessions.get(id) !== conversation) return false
    this.#sessions.delete(id)
    this.#host.sessionEnded(reason)
    return true
  }

  /** A process serves a client of the legacy era only as its session. */
  #noSession(request: CallRequest): CallReply {
    const { known } = this.#host.exchanges.era
    return known === 'modern' ? eraReply(request, known, 'not_sent') : noSessionReply(request, known)
  }

  // --- both ---

  #mayStart(era: Era, principal = ANONYMOUS): CallFailure | undefined {
    const { quota, processes } = this.#host
    return quota.isFull(principal) ? tooManyProcesses(quota.limit) : processes.refusal(era)
  }

  #start(owner: ConversationOwner, { era, principal = ANONYMOUS }: StartedFor, client?: SessionClient): Conversation {
    const place = this.#host.quota.take(principal)
    const gone = () => {
      place.release()
      owner.gone()
    }
    return this.#host.processes.start({ ...owner, gone }, era, client)
  }

  #open(call: Call, opening: boolean, onEnded: (exchange: Exchange, how: ExchangeEnd) => void): Exchange {
    const exchange = new Exchange(this.#host.exchanges, {
      ...call,
      opening,
      onEnded: (ended, how) => {
        this.#host.ended(ended, how)
        onEnded(ended, how)
      },
    })
    this.#host.opened(exchange)
    return exchange
  }

  #refuse(sink: CallSink, failure: CallFailure): CallHandle {
    this.#host.telemetry.calls.refused(failure)
    sink.fail(failure)
    return NOTHING_TO_HANDLE
  }

  /** Without asking any process. */
  #answer(call: Call, reply: CallReply): CallHandle {
    this.#open(call, false, () => {}).answer(reply)
    return NOTHING_TO_HANDLE
  }
}

interface StartedFor {
  readonly era: Era
  readonly principal: string | undefined
}

const ANONYMOUS = 'anonymous'

type Call = Pick<ConstructorParameters<typeof Exchange>[1], 'request' | 'message' | 'sink'>

function close(conversation: Conversation): void {
  const why = 'the session of this call has ended'
  conversation.close(notSent(why), unknown(why))
}

function scanned(octets: Uint8Array): ScannedMessage | undefined {
  try {
    return scanMessage(octets, { isUtf8 })
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
