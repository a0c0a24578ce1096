import { OUTCOME, type Outcome, type TransportFailure } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type { Counter, Gauge, HistogramHandle, Logger, Metrics } from '@causeway/telemetry'
import type { CallFailure } from '../exchanges/contract.ts'
import { LineLimit } from '../pacing/line-limit.ts'

/** What a log line says of an exchange. */
export interface ExchangeFacts {
  /** At the near relay the edge's; at the far one the association's id and the request's ordinal on it. */
  readonly requestId: string
  /** At the near relay, once the request was sent: what the far one has as `requestId`. */
  readonly exchange?: string | undefined
  readonly method: string
  /** `peer/namespace/name/target`, or the peer that asked. */
  readonly with: string
  /** Of a peer's request: what it was for. */
  readonly target?: string | undefined
}

/** Counts and logs the exchanges and sessions of one side of the mesh: `mesh_out` towards peers, `mesh_in` from them. */
export class ExchangeWatch {
  readonly #logger: Logger
  readonly #metrics: Metrics
  readonly #side: 'mesh_out' | 'mesh_in'
  readonly #open: Gauge
  readonly #sessions: Gauge
  readonly #duration: HistogramHandle
  readonly #byOutcome = new Map<string, Counter>()
  readonly #clock: Clock
  /** By whom the refused requests are of: they cause these lines at will, and one shall not hide what another causes. */
  readonly #refusals = new Map<string, LineLimit>()

  constructor(logger: Logger, metrics: Metrics, side: 'mesh_out' | 'mesh_in', clock: Clock) {
    this.#logger = logger
    this.#clock = clock
    this.#metrics = metrics
    this.#side = side
    this.#open = metrics.gauge('causeway_exchanges_open', { side })
    this.#sessions = metrics.gauge('causeway_sessions_open', { side })
    this.#duration = metrics.histogram('causeway_exchange_duration_seconds', { side })
  }

  opened(): void {
    this.#open.add(1)
  }

  /** The backend's own answer came. `durationMs` from `opened` to its end. */
  replied(kind: 'result' | 'error', durationMs: number, facts: ExchangeFacts): void {
    this.#ended(kind, durationMs)
    if (!this.#logger.isLevelEnabled('debug')) return
    const fields = { side: this.#side, ...facts, outcome: kind, durationMs: Math.round(durationMs) }
    this.#logger.debug(fields, 'exchange ended')
  }

  /** @param told the edge has a line for it of its own, and two of one relay for one call would be one too many. */
  failed({ code, outcome, message }: CallFailure, durationMs: number, facts: ExchangeFacts, told = false): void {
    const label = OUTCOME_LABEL[outcome]
    this.#ended(label, durationMs)
    const fields = { side: this.#side, ...facts, code, outcome: label, durationMs: Math.round(durationMs) }
    if (outcome === OUTCOME.CANCELLED) this.#logger.debug(fields, `exchange cancelled: ${message}`)
    else this.#logger[told ? 'debug' : 'warn'](fields, `exchange failed: ${message}`)
  }

  /** A request that never became an exchange. */
  refused(outcome: Outcome, facts: ExchangeFacts, message: string): void {
    const label = OUTCOME_LABEL[outcome]
    this.#counterOf(label).add()
    if (!this.#refusalsOf(facts.with).admit()) return
    this.#logger.warn({ side: this.#side, ...facts, outcome: label }, `exchange refused: ${message}`)
  }

  /** The peer's request has no label, and its method is none that may go without. */
  unlabelled(): void {
    this.#metrics.add('causeway_requests_unlabelled_total', 1, { side: this.#side })
  }

  /** What the peer says about a failure: its own text, for whoever looks for the cause, and for nothing else. */
  peerSaid(failure: TransportFailure, requestId: string): void {
    const { code, outcome, reason, message } = failure
    this.#logger.debug({ side: this.#side, requestId, code, outcome, reason, peerMessage: message }, 'transport error')
  }

  cancelled(direction: 'sent' | 'received', result: string): void {
    this.#metrics.add('causeway_cancels_total', 1, { direction, result })
  }

  sessionOpened(): void {
    this.#sessions.add(1)
  }

  sessionEnded(reason: string): void {
    this.#sessions.add(-1)
    this.#metrics.add('causeway_sessions_ended_total', 1, { side: this.#side, reason })
  }

  notificationDropped(reason: string, count = 1): void {
    if (count > 0) this.#metrics.add('causeway_notifications_dropped_total', count, { reason })
  }

  #ended(outcome: string, durationMs: number): void {
    this.#open.add(-1)
    this.#duration.record(durationMs / 1_000)
    this.#counterOf(outcome).add()
  }

  /** Peers are configured, so there are only so many. */
  #refusalsOf(peer: string): LineLimit {
    const known = this.#refusals.get(peer)
    if (known !== undefined) return known
    const limit = new LineLimit(this.#clock, (leftOut) => {
      const fields = { side: this.#side, with: peer, leftOut }
      this.#logger.warn(fields, `${leftOut} more exchanges refused within a second, counted in the metrics`)
    })
    this.#refusals.set(peer, limit)
    return limit
  }

  #counterOf(outcome: string): Counter {
    const known = this.#byOutcome.get(outcome)
    if (known !== undefined) return known
    const counter = this.#metrics.counter('causeway_exchanges_total', { side: this.#side, outcome })
    this.#byOutcome.set(outcome, counter)
    return counter
  }
}

const OUTCOME_LABEL: Readonly<Record<Outcome, string>> = {
  [OUTCOME.NOT_DELIVERED]: 'not_sent',
  [OUTCOME.UNKNOWN]: 'unknown',
  [OUTCOME.CANCELLED]: 'cancelled',
  [OUTCOME.SESSION_LOST]: 'session_lost',
}
