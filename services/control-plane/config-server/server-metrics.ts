import type { Counter, Gauge, HistogramHandle, Metrics } from '@causeway/telemetry'

type Result = 'accepted' | 'stale' | 'not_taken' | 'inconsistent'

/** What the configuration server counts. */
export class ServerMetrics {
  readonly #open: Gauge
  readonly #upserts: Counter
  readonly #removals: Counter
  readonly #held: Counter
  readonly #stale: Counter
  readonly #answers: Readonly<Record<Result, { readonly count: Counter; readonly duration: HistogramHandle }>>
  readonly #metrics: Metrics

  constructor(metrics: Metrics) {
    this.#metrics = metrics
    this.#open = metrics.gauge('causeway_control_plane_streams_open')
    this.#upserts = metrics.counter('causeway_control_plane_resources_sent_total', { operation: 'upsert' })
    this.#removals = metrics.counter('causeway_control_plane_resources_sent_total', { operation: 'removal' })
    this.#held = metrics.counter('causeway_control_plane_deltas_held_total')
    this.#stale = metrics.counter('causeway_control_plane_stale_sources_total')
    const answer = (result: Result) => ({
      count: metrics.counter('causeway_control_plane_deltas_total', { result }),
      duration: metrics.histogram('causeway_control_plane_delta_duration_seconds', { result }),
    })
    this.#answers = {
      accepted: answer('accepted'),
      stale: answer('stale'),
      not_taken: answer('not_taken'),
      inconsistent: answer('inconsistent'),
    }
  }

  /** A Hello was taken, or refused. */
  greeted(result: 'opened' | 'refused'): void {
    this.#metrics.add('causeway_control_plane_streams_total', 1, { result })
  }

  open(streams: number): void {
    this.#open.set(streams)
  }

  sent(upserts: number, removals: number): void {
    if (upserts > 0) this.#upserts.add(upserts)
    if (removals > 0) this.#removals.add(removals)
  }

  answered(result: Result, tookMs: number): void {
    this.#answers[result].count.add()
    this.#answers[result].duration.record(tookMs / 1_000)
  }

  heldDeltas(): void {
    this.#held.add()
  }

  staleSources(): void {
    this.#stale.add()
  }
}
