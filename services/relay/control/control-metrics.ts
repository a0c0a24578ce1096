import { DeltaErrorCode } from '@causeway/rpc'
import type { Metrics } from '@causeway/telemetry'

export interface ControlReadings {
  staleSeconds(): number
  connected(): number
  refused(): number
  logOctets(): number
}

export interface ControlCounters {
  onDelta(error: DeltaErrorCode | undefined): void
  onAttempt(result: 'opened' | 'failed'): void
  /** Ends what is read of the relay. */
  stop(): void
}

/** Delivery of configuration, as a relay sees it. */
export function observeControl(metrics: Metrics, readings: ControlReadings): ControlCounters {
  const observed = [
    metrics.observe('causeway_config_stale_seconds', () => readings.staleSeconds()),
    metrics.observe('causeway_config_connected', () => readings.connected()),
    metrics.observe('causeway_config_resources_refused', () => readings.refused()),
    metrics.observe('causeway_config_log_bytes', () => readings.logOctets()),
  ]
  return {
    onDelta: (error) => metrics.add('causeway_config_deltas_total', 1, { result: RESULTS.get(error) ?? 'malformed' }),
    onAttempt: (result) => metrics.add('causeway_config_streams_total', 1, { result }),
    stop: () => {
      for (const end of observed) end()
    },
  }
}

const RESULTS: ReadonlyMap<DeltaErrorCode | undefined, string> = new Map<DeltaErrorCode | undefined, string>([
  [undefined, 'accepted'],
  [DeltaErrorCode.STALE_SOURCE, 'stale_source'],
  [DeltaErrorCode.MALFORMED, 'malformed'],
  [DeltaErrorCode.INCONSISTENT, 'inconsistent'],
  [DeltaErrorCode.NOT_STORED, 'not_stored'],
])
