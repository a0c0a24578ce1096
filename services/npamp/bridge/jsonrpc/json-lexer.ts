import { MalformedError } from '../../errors.ts'

/**
 * Walks over one JSON value without building anything: RFC 8259 to the letter (what JSON.parse accepts), nesting bounded,
 * no recursion. Whether the octets are UTF-8 is not looked at here; `scanMessage` has done that.
 */

/** Ours. Deeper texts are refused; a few kilobytes of brackets shall not cost any reader behind us its stack. */
export const MAX_JSON_DEPTH = 1024

export const QUOTE = 0x22
export const COMMA = 0x2c
const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const BACKSLASH = 0x5c

/** First position from `at` on that holds no JSON blank; `octets.length` when there is none. */
export function skipBlanks(octets: Uint8Array, at: number): number {
  let position = at
  while (position < octets.length && isBlank(octets[position] as number)) position++
  return position
}

function isBlank(octet: number): boolean {
  return octet === 0x20 || octet === 0x0a || octet === 0x0d || octet === 0x09
}

/** The position after the value whose first octet stands at `at`. Throws MalformedError JSON. */
export function skipValue(octets: Uint8Array, at: number): number {
  const first = octets[at]
  if (first === QUOTE) return skipString(octets, at)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(octets, at)
  return skipScalar(octets, at)
}

function skipContainer(octets: Uint8Array, start: number): number {
  // Closing octets of the containers that are open, outermost first.
  const open: number[] = []
  let at = start
  for (;;) {
    // Here a value begins.
    const first = octets[at]
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (open.length === MAX_JSON_DEPTH) throw notJson(at, `nested deeper than ${MAX_JSON_DEPTH} levels`)
      const close = first === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET
      at = skipBlanks(octets, at + 1)
      if (octets[at] !== close) {
        open.push(close)
        if (close === CLOSE_BRACE) at = skipName(octets, at)
        continue
      }
      at++
    } else {
      at = first === QUOTE ? skipString(octets, at) : skipScalar(octets, at)
    }
    // Here a value has ended: close what closes, then go on to the next member or element.
    for (;;) {
      const close = open.at(-1)
      if (close === undefined) return at
      at = skipBlanks(octets, at)
      if (octets[at] === close) {
        open.pop()
        at++
        continue
      }
      if (octets[at] !== COMMA) throw notJson(at, 'a comma or a closing bracket is missing')
      at = skipBlanks(octets, at + 1)
      if (close === CLOSE_BRACE) at = skipName(octets, at)
      break
    }
  }
}

/** From the quote of a member's name to the first octet of its value. */
function skipName(octets: Uint8Array, at: number): number {
  if (octets[at] !== QUOTE) throw notJson(at, 'a member name is missing')
  return skipColon(octets, skipString(octets, at))
}

/** From behind a member's name to the first octet of its value. Throws MalformedError JSON. */
export function skipColon(octets: Uint8Array, at: number): number {
  const colon = skipBlanks(octets, at)
  if (octets[colon] !== COLON) throw notJson(colon, 'a colon is missing')
  return skipBlanks(octets, colon + 1)
}

/** The position after the closing quote of the string that opens at `at`. Throws MalformedError JSON. */
export function skipString(octets: Uint8Array, at: number): number {
  let position = at + 1
  for (;;) {
    // Strides pay only on long plain runs; a string full of escapes stays in this loop.
    const strideFrom = Math.min(position + STRIDE_AFTER_OCTETS, octets.length)
    while (position < strideFrom && isPlain(octets[position] as number)) position++
    if (position === octets.length) throw notJson(position, 'a string does not end')
    const octet = octets[position] as number
    if (isPlain(octet)) position = stridePlain(octets, position)
    else if (octet === QUOTE) return position + 1
    else if (octet === BACKSLASH) position = skipEscape(octets, position)
    else throw notJson(position, 'a control character stands in a string')
  }
}

const STRIDE_AFTER_OCTETS = 64

/**
 * Skips words of four octets that hold no quote, no backslash and no control character; may stop early, never late. A
 * result of many megabytes is mostly one string: this reads it at about the speed of memory.
 */
function stridePlain(octets: Uint8Array, at: number): number {
  const start = at + (-(octets.byteOffset + at) & 3)
  if (start + 4 > octets.length) return at
  for (let position = at; position < start; position++) if (!isPlain(octets[position] as number)) return position
  const words = new Uint32Array(octets.buffer, octets.byteOffset + start, (octets.length - start) >> 2)
  let index = 0
  for (; index < words.length; index++) {
    const word = words[index] as number
    // An octet below 0x21 after the flip of bit 1 was a control character or the quote; a zero octet was a backslash.
    const flipped = word ^ 0x02020202
    const slashed = word ^ 0x5c5c5c5c
    if (((((flipped - 0x21212121) & ~flipped) | ((slashed - 0x01010101) & ~slashed)) & 0x80808080) !== 0) break
  }
  return start + index * 4
}

function isPlain(octet: number): boolean {
  return octet >= 0x20 && octet !== QUOTE && octet !== BACKSLASH
}

function skipEscape(octets: Uint8Array, at: number): number {
  switch (octets[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit++)
        if (!isHexDigit(octets[digit])) throw notJson(digit, 'an escape needs four hexadecimal digits')
      return at + 6
    default:
      throw notJson(at, 'an escape is unknown')
  }
}

function isHexDigit(octet: number | undefined): boolean {
  if (octet === undefined) return false
  return isDigit(octet) || (octet >= 0x41 && octet <= 0x46) || (octet >= 0x61 && octet <= 0x66)
}

function skipScalar(octets: Uint8Array, at: number): number {
  switch (octets[at]) {
    case 0x74:
      return skipLiteral(octets, at, TRUE)
    case 0x66:
      return skipLiteral(octets, at, FALSE)
    case 0x6e:
      return skipLiteral(octets, at, NULL)
    default:
      return skipNumber(octets, at)
  }
}

const TRUE: readonly number[] = [0x74, 0x72, 0x75, 0x65]
const FALSE: readonly number[] = [0x66, 0x61, 0x6c, 0x73, 0x65]
const NULL: readonly number[] = [0x6e, 0x75, 0x6c, 0x6c]

function skipLiteral(octets: Uint8Array, at: number, literal: readonly number[]): number {
  for (let index = 1; index < literal.length; index++)
    if (octets[at + index] !== literal[index]) throw notJson(at, 'a word is neither true, false nor null')
  return at + literal.length
}

function skipNumber(octets: Uint8Array, start: number): number {
  let at = octets[start] === 0x2d ? start + 1 : start
  if (octets[at] === 0x30) at++
  else at = skipDigits(octets, at)
  if (octets[at] === 0x2e) at = skipDigits(octets, at + 1)
  const exponent = octets[at]
  if (exponent === 0x65 || exponent === 0x45) {
    const sign = octets[at + 1]
    at = skipDigits(octets, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
  }
  return at
}

/** One digit at least. */
function skipDigits(octets: Uint8Array, start: number): number {
  let at = start
  while (isDigit(octets[at])) at++
  if (at === start) throw notJson(at, at < octets.length ? 'a value is not JSON' : 'the text ends early')
  return at
}

function isDigit(octet: number | undefined): boolean {
  return octet !== undefined && octet >= 0x30 && octet <= 0x39
}

export function notJson(at: number, why: string): MalformedError {
  return new MalformedError('JSON', `${why}, at octet ${at}`)
}
