import { createPrometheusText } from './prometheus.ts'
import { Family, type Histogram, type Series } from './series.ts'
import { type Labels, METRIC_TABLE, type MetricName, type MetricRow, type NameOf } from './table.ts'

/**
 * The metrics of one relay. Counting is an addition to a number; the OpenTelemetry SDK reads the numbers when somebody
 * asks. On a hot path, resolve the series once (`counter(name, labels)`) and keep it.
 */
export interface Metrics {
  counter<Name extends NameOf<'counter'>>(name: Name, ...labels: LabelsArgument<Name>): Counter
  gauge<Name extends NameOf<'gauge'>>(name: Name, ...labels: LabelsArgument<Name>): Gauge
  histogram<Name extends NameOf<'histogram'>>(name: Name, ...labels: LabelsArgument<Name>): HistogramHandle

  /** Adds to a counter or gauge; `n` is negative only for a gauge. */
  add<Name extends NameOf<'counter' | 'gauge'>>(name: Name, n: number, ...labels: LabelsArgument<Name>): void
  set<Name extends NameOf<'gauge'>>(name: Name, value: number, ...labels: LabelsArgument<Name>): void
  record<Name extends NameOf<'histogram'>>(name: Name, value: number, ...labels: LabelsArgument<Name>): void
  /**
   * Adds what `read` says, whenever somebody asks, to the series; several sources add up. The answer ends that: a counter
   * then keeps what the source had counted, a gauge forgets it.
   */
  observe<Name extends NameOf<'counter' | 'gauge'>>(
    name: Name,
    read: () => number,
    ...labels: LabelsArgument<Name>
  ): () => void

  /** The present value of a series, 0 when there is none. */
  value<Name extends NameOf<'counter' | 'gauge'>>(name: Name, ...labels: LabelsArgument<Name>): number
  /** The sum over all series of a metric. */
  total(name: NameOf<'counter' | 'gauge'>): number
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>
}

/** A metric without labels takes none; any other needs all of them. */
export type LabelsArgument<Name extends MetricName> = keyof Labels<Name> extends never ? [] : [labels: Labels<Name>]

export interface Counter {
  /** Default 1; never negative. */
  add(n?: number): void
}

export interface Gauge {
  set(value: number): void
  add(n: number): void
}

export interface HistogramHandle {
  record(value: number): void
}

/** Nothing is shared between two of these, and nothing is registered globally. */
export function createMetrics(): Metrics {
  const families = new Map<MetricName, Family>()
  for (const [name, row] of tableRows()) families.set(name, new Family(row))

  const family = (name: MetricName): Family => {
    const found = families.get(name)
    if (found === undefined) throw new TypeError(`no metric ${name} in the table`)
    return found
  }
  const series = (name: MetricName, labels: readonly [] | readonly [Readonly<Record<string, string>>]): Series =>
    family(name).series(labels[0])
  const histogram = (name: MetricName, labels: readonly [] | readonly [Readonly<Record<string, string>>]): Histogram =>
    family(name).histogram(labels[0])
  const text = createPrometheusText(families)

  return {
    counter: (name, ...labels) => series(name, labels),
    gauge: (name, ...labels) => series(name, labels),
    histogram: (name, ...labels) => histogram(name, labels),
    add: (name, n, ...labels) => series(name, labels).add(n),
    set: (name, value, ...labels) => series(name, labels).set(value),
    record: (name, value, ...labels) => histogram(name, labels).record(value),
    observe: (name, read, ...labels) => family(name).observe(read, labels[0]),
    value: (name, ...labels) => family(name).find(labels[0])?.read() ?? 0,
    total: (name) => family(name).total(),
    text,
  }
}

function tableRows(): readonly [MetricName, MetricRow][] {
  return Object.entries(METRIC_TABLE) as [MetricName, MetricRow][]
}
