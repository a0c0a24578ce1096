import { compareOctets } from '../../wire/octets.ts'
import { strictUtf8 } from '../../wire/utf8.ts'
import { QUOTE } from './json-lexer.ts'
import { stringValue } from './json-text.ts'

/**
 * Whether two id tokens are the same JSON-RPC id: same JSON type and value. `1`, `1.0` and `10e-1` are one id, `1` and
 * `"1"` are two; numbers are compared as exact decimals, never as doubles, strings after their escapes (CARRIAGE section 2).
 */
export function sameId(a: Uint8Array, b: Uint8Array): boolean {
  return compareOctets(a, b) === 0 || idKey(a) === idKey(b)
}

/** A Map key: two tokens have equal keys exactly where `sameId` holds. The token must come from a scanned message. */
export function idKey(token: Uint8Array): string {
  switch (token[0]) {
    case QUOTE:
      return `s${stringValue(token, { start: 0, end: token.length })}`
    case 0x6e:
      return 'null'
    default:
      return numberKey(strictUtf8(token) ?? '')
  }
}

export function isNullId(token: Uint8Array): boolean {
  return token[0] === 0x6e
}

/** `sign digits e exponent`, digits without zeros at either end; zero is `n0`, also `-0`. */
function numberKey(token: string): string {
  const negative = token.startsWith('-')
  const exponentAt = token.search(/[eE]/)
  const mantissa = token.slice(negative ? 1 : 0, exponentAt < 0 ? token.length : exponentAt)
  const point = mantissa.indexOf('.')
  const integer = point < 0 ? mantissa : mantissa.slice(0, point)
  const fraction = point < 0 ? '' : mantissa.slice(point + 1)
  const all = integer + fraction
  const first = leadingZeros(all)
  if (first === all.length) return 'n0'
  const last = all.length - trailingZeros(all)
  const shift = all.length - last - fraction.length
  const exponent = exponentAt < 0 ? String(shift) : plus(token.slice(exponentAt + 1), shift)
  return `n${negative ? '-' : ''}${all.slice(first, last)}e${exponent}`
}

/** Loops, as a pattern for zeros before the end is quadratic on a token that a client chose. */
function leadingZeros(digits: string): number {
  let count = 0
  while (digits[count] === '0') count++
  return count
}

function trailingZeros(digits: string): number {
  let count = 0
  while (digits[digits.length - 1 - count] === '0') count++
  return count
}

/** Arithmetic on decimal text of any length is quadratic; nobody's id has an exponent of more digits than this. */
const MAX_EXPONENT_DIGITS = 300

function plus(exponent: string, shift: number): string {
  const signed = exponent.startsWith('-') || exponent.startsWith('+')
  const digits = exponent.slice(signed ? 1 : 0)
  const significant = digits.slice(leadingZeros(digits))
  const sign = exponent.startsWith('-') ? '-' : ''
  if (significant.length > MAX_EXPONENT_DIGITS) return `${sign}${significant}+${shift}`
  const value = BigInt(significant)
  return String((sign === '-' ? -value : value) + BigInt(shift))
}
