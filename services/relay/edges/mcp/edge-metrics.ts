import type { Counter, Gauge, HistogramHandle, Metrics } from '@causeway/telemetry'

export type ExchangeOutcome =
  /** The backend's own answer. */
  | 'result'
  | 'error'
  /** Ours, by what is known of the delivery. */
  | 'not_sent'
  | 'unknown'
  | 'session_lost'
  /** The client asked to stop it. */
  | 'cancelled'
  | 'deadline'
  | 'disconnect'
  | 'slow_client'
  | 'stopped'

/** The series that the edge counts in, resolved once. */
export class EdgeMetrics {
  readonly lateReplies: Counter
  readonly lineEndsChanged: Counter
  readonly #metrics: Metrics
  readonly #eventsDropped: Counter
  readonly #open: Gauge
  readonly #duration: HistogramHandle
  readonly #outcomes = new Map<ExchangeOutcome, Counter>()
  readonly #statuses = new Map<number, Counter>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.lateReplies = metrics.counter('causeway_late_replies_total', { side: 'edge' })
    this.lineEndsChanged = metrics.counter('causeway_line_ends_changed_total')
    this.#eventsDropped = metrics.counter('causeway_events_dropped_total')
    this.#open = metrics.gauge('causeway_exchanges_open', { side: 'edge' })
    this.#duration = metrics.histogram('causeway_exchange_duration_seconds', { side: 'edge' })
  }

  exchangeOpened(): void {
    this.#open.add(1)
  }

  exchangeEnded(outcome: ExchangeOutcome, durationMs: number): void {
    this.#open.add(-1)
    this.#duration.record(durationMs / 1000)
    let counter = this.#outcomes.get(outcome)
    if (counter === undefined) {
      counter = this.#metrics.counter('causeway_exchanges_total', { side: 'edge', outcome })
      this.#outcomes.set(outcome, counter)
    }
    counter.add()
  }

  responded(status: number): void {
    let counter = this.#statuses.get(status)
    if (counter === undefined) {
      counter = this.#metrics.counter('causeway_http_responses_total', { status: String(status) })
      this.#statuses.set(status, counter)
    }
    counter.add()
  }

  sessionEnded(reason: 'idle' | 'lost' | 'refused' | 'client' | 'policy'): void {
    this.#metrics.add('causeway_sessions_ended_total', 1, { side: 'edge', reason })
  }

  /** An event that a client could have asked for is no longer held. */
  eventDropped(): void {
    this.#eventsDropped.add()
  }

  notificationDropped(reason: 'client_gone' | 'client_response'): void {
    this.#metrics.add('causeway_notifications_dropped_total', 1, { reason })
  }
}
