const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const

/** How long ago, in the largest unit of which there are two: `90 s`, `5 h`. Empty for no time. */
export function ageOf(time: string | undefined, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(time ?? '')) / 1000)
  if (Number.isNaN(seconds)) return ''
  for (const [unit, length] of UNITS) if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`
  return `${Math.max(0, seconds)} s`
}
