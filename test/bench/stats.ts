/** Value at quantile `q` (0..1) by linear interpolation; NaN for no samples. */
export function quantile(samples: readonly number[], q: number): number {
  if (samples.length === 0) return Number.NaN
  const sorted = [...samples].sort((a, b) => a - b)
  const position = (sorted.length - 1) * q
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

export interface Interval {
  readonly value: number
  readonly low: number
  readonly high: number
}

const RESAMPLES = 2_000

/**
 * The median of one figure per round with its 95 % percentile-bootstrap interval. The resampling is seeded, so the same
 * rounds give the same interval.
 */
export function medianInterval(perRound: readonly number[]): Interval {
  const random = mulberry32(perRound.length)
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(perRound.map(() => perRound[Math.floor(random() * perRound.length)] ?? Number.NaN)),
  )
  return { value: median(perRound), low: quantile(medians, 0.025), high: quantile(medians, 0.975) }
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
