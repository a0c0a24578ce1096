import { ValueType } from '@opentelemetry/api'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics'
import { type Family, MAX_SERIES } from './series.ts'

const SCOPE = { name: 'causeway' }

/**
 * Lets the OpenTelemetry SDK read the families through observable instruments, and answers the text. The provider is this
 * function's own: nothing is registered globally, no server is started, no resource and no scope labels are written.
 */
export function createPrometheusText(families: ReadonlyMap<string, Family>): () => Promise<string> {
  const reader = new PullReader()
  const meter = new MeterProvider({ readers: [reader] }).getMeter(SCOPE.name)
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true)
  const startedAt = Date.now()

  for (const [name, family] of families) {
    const { type, unit, help } = family.row
    if (type === 'histogram') continue
    const options = { unit, description: help, valueType: ValueType.DOUBLE }
    const instrument =
      type === 'counter' ? meter.createObservableCounter(name, options) : meter.createObservableGauge(name, options)
    instrument.addCallback((result) => {
      for (const series of family.allSeries()) result.observe(series.read(), series.labels)
    })
  }

  return async () => {
    const { resourceMetrics } = await reader.collect()
    const histograms = [...families].flatMap(([name, family]) => histogramData(name, family, startedAt))
    return serializer.serialize({
      resource: resourceMetrics.resource,
      scopeMetrics: [...resourceMetrics.scopeMetrics, { scope: SCOPE, metrics: histograms }],
    })
  }
}

/** A reader that reads when it is asked. Families are bounded already, so the SDK's own limit must not come first. */
class PullReader extends MetricReader {
  constructor() {
    super({ cardinalitySelector: () => MAX_SERIES + 2 })
  }

  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

/** The SDK has no observable histogram, so its data are made here. */
function histogramData(name: string, family: Family, startedAt: number): HistogramMetricData[] {
  const histograms = [...family.allHistograms()]
  if (histograms.length === 0) return []
  const startTime = hrTimeOf(startedAt)
  const endTime = hrTimeOf(Date.now())
  return [
    {
      descriptor: { name, description: family.row.help, unit: family.row.unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histograms.map(({ labels, boundaries, counts, sum, count }) => ({
        startTime,
        endTime,
        attributes: labels,
        value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
      })),
    },
  ]
}

function hrTimeOf(ms: number): [number, number] {
  return [Math.trunc(ms / 1000), (ms % 1000) * 1_000_000]
}
