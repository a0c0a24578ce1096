import { OUTCOME, type Outcome } from '@causeway/npamp'
import type { Counter, Gauge, HistogramHandle, Metrics } from '@causeway/telemetry'

/** The exchanges and sessions of one side of the mesh: `mesh_out` towards peers, `mesh_in` from them. */
export class ExchangeMetrics {
  readonly #metrics: Metrics
  readonly #side: 'mesh_out' | 'mesh_in'
  readonly #open: Gauge
  readonly #sessions: Gauge
  readonly #duration: HistogramHandle
  readonly #byOutcome = new Map<string, Counter>()

  constructor(metrics: Metrics, side: 'mesh_out' | 'mesh_in') {
    this.#metrics = metrics
    this.#side = side
    this.#open = metrics.gauge('causeway_exchanges_open', { side })
    this.#sessions = metrics.gauge('causeway_sessions_open', { side })
    this.#duration = metrics.histogram('causeway_exchange_duration_seconds', { side })
  }

  opened(): void {
    this.#open.add(1)
  }

  /** `durationMs` from `opened` to its end. */
  ended(how: 'result' | 'error' | Outcome, durationMs: number): void {
    this.#open.add(-1)
    this.#duration.record(durationMs / 1_000)
    this.#counterOf(typeof how === 'string' ? how : OUTCOME_LABEL[how]).add()
  }

  sessionOpened(): void {
    this.#sessions.add(1)
  }

  sessionEnded(reason: string): void {
    this.#sessions.add(-1)
    this.#metrics.add('causeway_sessions_ended_total', 1, { side: this.#side, reason })
  }

  #counterOf(outcome: string): Counter {
    const known = this.#byOutcome.get(outcome)
    if (known !== undefined) return known
    const counter = this.#metrics.counter('causeway_exchanges_total', { side: this.#side, outcome })
    this.#byOutcome.set(outcome, counter)
    return counter
  }

  notificationDropped(reason: string): void {
    this.#metrics.add('causeway_notifications_dropped_total', 1, { reason })
  }
}

const OUTCOME_LABEL: Readonly<Record<Outcome, string>> = {
  [OUTCOME.NOT_DELIVERED]: 'not_sent',
  [OUTCOME.UNKNOWN]: 'unknown',
  [OUTCOME.CANCELLED]: 'cancelled',
  [OUTCOME.SESSION_LOST]: 'session_lost',
}
