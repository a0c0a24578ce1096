import type { Interval } from './stats.ts'

/** One line of the result table. */
export interface Row {
  readonly name: string
  readonly figure: Interval
  readonly unit: 'x' | 'ms' | 'KiB' | 'writes'
  readonly bar: Bar
  /** Absolute figures of the run, for the reader; nothing is judged by them. */
  readonly absolute: Readonly<Record<string, number>>
}

export interface Bar {
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Bench {
  /** For `--only`. */
  readonly name: string
  readonly about: string
  run(options: BenchOptions): Promise<readonly Row[]>
}

export interface BenchOptions {
  /** Interleaved rounds, at least 7 for a verdict. */
  readonly rounds: number
  /** Tells the person what is going on. */
  note(text: string): void
}

/** Missed only when the whole interval lies beyond the bar. */
export function missed(row: Row): boolean {
  const { atLeast, atMost } = row.bar
  return (atLeast !== undefined && row.figure.high < atLeast) || (atMost !== undefined && row.figure.low > atMost)
}

export function barText(bar: Bar): string {
  return bar.atLeast !== undefined ? `>= ${bar.atLeast}` : `<= ${bar.atMost}`
}
