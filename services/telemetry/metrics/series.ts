import type { MetricRow } from './table.ts'

/** The most series of one metric; what comes later is counted together under the label value `other`. */
export const MAX_SERIES = 2000

export type LabelSet = Readonly<Record<string, string>>

/** One metric of the table with all its series. */
export class Family {
  readonly row: MetricRow
  readonly #series = new Map<string, Series>()
  readonly #histograms = new Map<string, Histogram>()

  constructor(row: MetricRow) {
    this.row = row
    // A metric without labels exists from the start, so that a query for it finds 0 and not nothing.
    if (row.labels.length === 0 && row.type !== 'histogram') this.series(undefined)
  }

  series(labels: LabelSet | undefined): Series {
    return this.#resolve(this.#series, labels, (set) => new Series(set))
  }

  histogram(labels: LabelSet | undefined): Histogram {
    const buckets = this.row.buckets ?? []
    return this.#resolve(this.#histograms, labels, (set) => new Histogram(set, buckets))
  }

  observe(read: () => number, labels: LabelSet | undefined): () => void {
    return this.series(labels).observe(read, this.row.type === 'counter')
  }

  find(labels: LabelSet | undefined): Series | undefined {
    return this.#series.get(this.#key(labels))
  }

  total(): number {
    let sum = 0
    for (const series of this.#series.values()) sum += series.read()
    return sum
  }

  allSeries(): Iterable<Series> {
    return this.#series.values()
  }

  allHistograms(): Iterable<Histogram> {
    return this.#histograms.values()
  }

  #resolve<Entry>(entries: Map<string, Entry>, labels: LabelSet | undefined, make: (set: LabelSet) => Entry): Entry {
    const key = this.#key(labels)
    const existing = entries.get(key)
    if (existing !== undefined) return existing
    if (entries.size >= MAX_SERIES) return this.#overflow(entries, make)
    const made = make(this.#inOrder(labels, undefined))
    entries.set(key, made)
    return made
  }

  #overflow<Entry>(entries: Map<string, Entry>, make: (set: LabelSet) => Entry): Entry {
    const set = this.#inOrder(undefined, 'other')
    const key = this.#key(set)
    const entry = entries.get(key) ?? make(set)
    entries.set(key, entry)
    return entry
  }

  #key(labels: LabelSet | undefined): string {
    let key = ''
    for (const name of this.row.labels) key += `${labels?.[name] ?? ''}\0`
    return key
  }

  #inOrder(labels: LabelSet | undefined, value: string | undefined): LabelSet {
    return Object.fromEntries(this.row.labels.map((name) => [name, value ?? labels?.[name] ?? '']))
  }
}

/** One number: a counter or a gauge with its label values. */
export class Series {
  readonly labels: LabelSet
  #value = 0
  readonly #sources = new Set<() => number>()

  constructor(labels: LabelSet) {
    this.labels = labels
  }

  add(n = 1): void {
    this.#value += n
  }

  set(value: number): void {
    this.#value = value
  }

  /** Adds a source whose value counts on top. A counter keeps what a source that ended had counted; a gauge forgets it. */
  observe(read: () => number, keep: boolean): () => void {
    const source = (): number => read()
    this.#sources.add(source)
    return () => {
      if (this.#sources.delete(source) && keep) this.#value += source()
    }
  }

  read(): number {
    let value = this.#value
    for (const source of this.#sources) value += source()
    return value
  }
}

/** A distribution over fixed buckets. */
export class Histogram {
  readonly labels: LabelSet
  readonly boundaries: readonly number[]
  /** One more than boundaries: the last counts what lies above all of them. */
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(labels: LabelSet, boundaries: readonly number[]) {
    this.labels = labels
    this.boundaries = boundaries
    this.counts = new Array<number>(boundaries.length + 1).fill(0)
  }

  record(value: number): void {
    let index = 0
    for (const boundary of this.boundaries) {
      if (value <= boundary) break
      index++
    }
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
    this.count++
  }
}
