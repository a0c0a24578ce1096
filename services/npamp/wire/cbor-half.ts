/** binary16, which DataView has only in newer runtimes than the core asks for. */
export function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >>> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (0x400 + fraction) * 2 ** (exponent - 25)
}

/** The binary16 that is exactly `value` (not NaN), or undefined when none is. */
export function exactHalf(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const magnitude = Math.abs(value)
  if (magnitude === Number.POSITIVE_INFINITY) return sign | 0x7c00
  if (magnitude === 0) return sign
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14)
  const scaled = magnitude * 2 ** (10 - exponent)
  const half = sign | (exponent === -14 ? scaled : ((exponent + 14) << 10) + scaled)
  return Number.isInteger(scaled) && exponent <= 15 && halfToNumber(half) === value ? half : undefined
}
