import { OUTCOME } from '@causeway/npamp'
import type { Counter, Gauge, HistogramHandle, Logger, Metrics } from '@causeway/telemetry'
import type { CallFailure } from '../../exchanges/contract.ts'
import { LineLimit } from '../../pacing/line-limit.ts'
import type { BackendHealth } from '../contract.ts'
import type { HttpBackendOptions } from './contract.ts'

/** Everything that a backend counts and logs, in one place. */
export class BackendTelemetry {
  readonly #metrics: Metrics
  readonly #logger: Logger
  readonly #backend: string
  readonly #open: Gauge
  readonly #duration: HistogramHandle
  readonly #sessions: Gauge
  readonly #results: Counter
  readonly #errors: Counter
  readonly #responses = new Map<number, Counter>()
  /** A client can cause them at will. */
  readonly #refusals: LineLimit
  readonly #onHealthChanged: (() => void) | undefined
  #health: BackendHealth = NOTHING_KNOWN

  constructor(options: Pick<HttpBackendOptions, 'name' | 'metrics' | 'logger' | 'clock' | 'onHealthChanged'>) {
    this.#onHealthChanged = options.onHealthChanged
    const { name, metrics, logger, clock } = options
    this.#metrics = metrics
    this.#logger = logger.child({ backend: name })
    this.#backend = name.replace(/^backend\//, '')
    this.#open = metrics.gauge('causeway_exchanges_open', { side: 'backend' })
    this.#sessions = metrics.gauge('causeway_sessions_open', { side: 'backend' })
    this.#duration = metrics.histogram('causeway_exchange_duration_seconds', { side: 'backend' })
    this.#results = metrics.counter('causeway_exchanges_total', { side: 'backend', outcome: 'result' })
    this.#errors = metrics.counter('causeway_exchanges_total', { side: 'backend', outcome: 'error' })
    this.#refusals = new LineLimit(clock, (count) => {
      this.#logger.warn({ lines: count }, 'the backend refused more notifications; left out of this log')
    })
  }

  exchangeOpened(): void {
    this.#open.add(1)
  }

  replied(kind: 'result' | 'error', durationMs: number): void {
    this.#ended(durationMs)
    const counter = kind === 'result' ? this.#results : this.#errors
    counter.add(1)
  }

  failed(
    failure: CallFailure,
    request: { readonly requestId: string; readonly method: string },
    durationMs: number,
  ): void {
    this.#ended(durationMs)
    this.#metrics.add('causeway_exchanges_total', 1, { side: 'backend', outcome: OUTCOME_LABEL[failure.outcome] })
    const { requestId, method } = request
    const outcome = OUTCOME_LABEL[failure.outcome]
    const fields = { requestId, method, code: failure.code, outcome, durationMs: Math.round(durationMs) }
    // Whoever called, the edge or the mesh, has a line for it.
    this.#logger.debug(fields, failure.message)
  }

  get health(): BackendHealth {
    return this.#health
  }

  reached(authorized: boolean | undefined): void {
    if (this.#health.reachable === true && this.#health.authorized === authorized) return
    this.#health = { reachable: true, message: '', authorized }
    this.#onHealthChanged?.()
  }

  notReached(message: string): void {
    if (this.#health.reachable === false && this.#health.message === message) return
    this.#health = { ...this.#health, reachable: false, message }
    this.#onHealthChanged?.()
  }

  /** A call that never became an exchange. */
  refused(failure: CallFailure): void {
    this.#metrics.add('causeway_exchanges_total', 1, { side: 'backend', outcome: OUTCOME_LABEL[failure.outcome] })
  }

  #ended(durationMs: number): void {
    this.#open.add(-1)
    this.#duration.record(durationMs / 1_000)
  }

  /** @param status 0 when none came. */
  responded(status: number): void {
    if (status > 0) this.reached(status !== 401 && status !== 403)
    let counter = this.#responses.get(status)
    if (counter === undefined) {
      const labels = { backend: this.#backend, status: String(status) }
      counter = this.#metrics.counter('causeway_backend_responses_total', labels)
      this.#responses.set(status, counter)
    }
    counter.add()
  }

  /** A message of the backend's that was not passed on. */
  dropped(reason: DropReason): void {
    this.#metrics.add('causeway_backend_messages_dropped_total', 1, { backend: this.#backend, reason })
  }

  /** A reply whose exchange had ended. */
  lateReply(): void {
    this.#metrics.add('causeway_late_replies_total', 1, { side: 'backend' })
  }

  /** A request of the server's was answered here instead of by the client. */
  serverRequestAnswered(): void {
    this.#metrics.add('causeway_server_requests_answered_total', 1, { side: 'backend' })
  }

  /** A notification or a response has its status; 0 when none came. */
  settled(status: number): void {
    if (status >= 200 && status < 300) return
    this.#metrics.add('causeway_notifications_refused_total', 1, { backend: this.#backend })
    if (this.#refusals.admit()) this.#logger.warn({ status }, 'the backend refused a notification')
  }

  /** The GET stream of a session, for good. */
  streamRefused(status: number): void {
    if (status === 405) this.#logger.debug({ status }, 'the backend has no stream for what belongs to no call')
    else this.#logger.warn({ status }, 'the backend refused the stream for what belongs to no call')
  }

  /** A header of spec.mcp.headers that is not sent: the relay writes it itself, or no header can carry it. */
  headerRefused(name: string): void {
    this.#logger.warn({ header: name }, 'a header of spec.mcp.headers cannot be set')
  }

  /** Never posted. */
  notificationDropped(reason: 'unknown_session' | 'queue_full' | 'closing'): void {
    this.#metrics.add('causeway_notifications_dropped_total', 1, { reason })
  }

  parameterDropped(): void {
    this.#metrics.add('causeway_service_parameters_dropped_total', 1, { reason: 'not_accepted' })
  }

  sessionOpened(): void {
    this.#sessions.add(1)
  }

  sessionEnded(reason: string): void {
    this.#sessions.add(-1)
    this.#metrics.add('causeway_sessions_ended_total', 1, { side: 'backend', reason })
  }
}

const NOTHING_KNOWN: BackendHealth = { reachable: undefined, message: '', authorized: undefined }

/**
 * `unmatched_reply`: its id is no open request's. `event_type`: an SSE event that MCP does not use. `repeated_event`: a
 * resumed stream told it again. `no_client`: nobody hears what belongs to no call.
 */
export type DropReason =
  | 'repeated_event'
  | 'too_large'
  | 'no_client'
  | 'unmatched_reply'
  | 'late_notification'
  | 'server_request'
  | 'batch'
  | 'not_json_rpc'
  | 'event_type'

const OUTCOME_LABEL = {
  [OUTCOME.NOT_DELIVERED]: 'not_sent',
  [OUTCOME.UNKNOWN]: 'unknown',
  [OUTCOME.CANCELLED]: 'cancelled',
  [OUTCOME.SESSION_LOST]: 'session_lost',
} as const
