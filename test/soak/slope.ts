/** How something grows with time: the least-squares slope and its 95 % interval. */
export interface Slope {
  readonly perSecond: number
  readonly low: number
  readonly high: number
  /** At the first sample, by the fitted line. */
  readonly start: number
}

export interface Sample {
  readonly seconds: number
  readonly value: number
}

/** Needs three samples or more. */
export function slopeOf(samples: readonly Sample[]): Slope {
  const n = samples.length
  if (n < 3) throw new Error(`${n} samples have no slope with an interval`)
  const meanX = mean(samples.map(({ seconds }) => seconds))
  const meanY = mean(samples.map(({ value }) => value))
  const sxx = sum(samples.map(({ seconds }) => (seconds - meanX) ** 2))
  const perSecond = sum(samples.map(({ seconds, value }) => (seconds - meanX) * (value - meanY))) / sxx
  const at = (seconds: number) => meanY + perSecond * (seconds - meanX)
  const residual = sum(samples.map(({ seconds, value }) => (value - at(seconds)) ** 2))
  const margin = studentT(n - 2) * Math.sqrt(residual / (n - 2) / sxx)
  const start = at(samples[0]?.seconds ?? 0)
  return { perSecond, low: perSecond - margin, high: perSecond + margin, start }
}

/** The 97.5 % quantile of Student's t, by the expansion in powers of 1 / degrees; within 0.5 % from 5 degrees on. */
export function studentT(degrees: number): number {
  const z = 1.959964
  const first = (z ** 3 + z) / 4
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
