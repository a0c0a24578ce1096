import { MalformedError, MisuseError } from '../../errors.ts'
import { strictUtf8 } from '../../wire/utf8.ts'
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  notJson,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlanks,
  skipColon,
  skipString,
  skipValue,
} from './json-lexer.ts'

/** Where a value stands in a JSON text: from its first octet to the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** A native UTF-8 check, `isUtf8` of `node:buffer` where there is one; else a decoder of the language does the same, slower. */
export type Utf8Check = (octets: Uint8Array) => boolean

/**
 * The place of the one JSON text in `octets`, without the blanks around it. Throws MalformedError JSON: not JSON, a BOM,
 * invalid UTF-8, deeper than MAX_JSON_DEPTH.
 */
export function jsonText(octets: Uint8Array, isUtf8?: Utf8Check): Span {
  requireUtf8(octets, isUtf8)
  const start = skipBlanks(octets, 0)
  const end = skipValue(octets, start)
  requireEnd(octets, end)
  return { start, end }
}

/** Throws MalformedError JSON. */
export function requireUtf8(octets: Uint8Array, isUtf8: Utf8Check = decodes): void {
  if (!isUtf8(octets)) throw new MalformedError('JSON', 'the text is not UTF-8')
}

/** Throws MalformedError JSON where something other than blanks stands from `at` on. */
export function requireEnd(octets: Uint8Array, at: number): void {
  const rest = skipBlanks(octets, at)
  if (rest !== octets.length) throw notJson(rest, 'something follows the value')
}

function decodes(octets: Uint8Array): boolean {
  return strictUtf8(octets) !== undefined
}

/** What kind of value stands at `span`, by its first octet. */
export function jsonKind(octets: Uint8Array, span: Span): JsonKind {
  switch (octets[span.start]) {
    case OPEN_BRACE:
      return 'object'
    case OPEN_BRACKET:
      return 'array'
    case QUOTE:
      return 'string'
    case 0x74:
    case 0x66:
      return 'boolean'
    case 0x6e:
      return 'null'
    default:
      return 'number'
  }
}

/** Where a member stands: its name, quotes included, in `[nameStart, nameEnd)` and its value in `[start, end)`. */
type MemberVisitor = (nameStart: number, nameEnd: number, start: number, end: number) => void

/**
 * Calls `visit` for every member of the object that begins at `object`, in order. Returns the position after the object.
 * Throws MalformedError JSON.
 */
export function eachMember(octets: Uint8Array, object: number, visit: MemberVisitor): number {
  let at = skipBlanks(octets, object + 1)
  if (octets[at] === CLOSE_BRACE) return at + 1
  for (;;) {
    if (octets[at] !== QUOTE) throw notJson(at, 'a member name is missing')
    const nameEnd = skipString(octets, at)
    const start = skipColon(octets, nameEnd)
    const end = skipValue(octets, start)
    visit(at, nameEnd, start, end)
    at = skipBlanks(octets, end)
    if (octets[at] === CLOSE_BRACE) return at + 1
    if (octets[at] !== COMMA) throw notJson(at, 'a comma or a closing bracket is missing')
    at = skipBlanks(octets, at + 1)
  }
}

/**
 * The value of the member `name` of the object at `span`, in a text that was scanned; the last one where a name repeats,
 * as every common parser reads it, and `"\u0069d"` is `id`. Undefined where there is none or where no object stands at
 * `span`.
 */
export function findMember(octets: Uint8Array, span: Span, name: string): Span | undefined {
  if (octets[span.start] !== OPEN_BRACE) return undefined
  let found: Span | undefined
  eachMember(octets, span.start, (nameStart, nameEnd, start, end) => {
    if (isNamed(octets, nameStart, nameEnd, name)) found = { start, end }
  })
  return found
}

/** Whether the string in `[start, end)`, quotes included, says `name`. Almost always told without decoding it. */
function isNamed(octets: Uint8Array, start: number, end: number, name: string): boolean {
  const length = end - start - 2
  for (let at = 0; at < length && at < name.length; at++) {
    const octet = octets[start + 1 + at] as number
    if (octet === BACKSLASH || octet >= 0x80) return shortText(octets, { start, end }, name.length) === name
    if (octet !== name.charCodeAt(at)) return false
  }
  return length === name.length
}

const MAX_SPELLING_OCTETS = 6 // \u0069

/** The string at `span`; undefined where it is longer than `maxUnits` UTF-16 units, mostly without decoding it. */
export function shortText(octets: Uint8Array, span: Span, maxUnits: number): string | undefined {
  if (span.end - span.start - 2 > maxUnits * MAX_SPELLING_OCTETS) return undefined
  const text = stringValue(octets, span)
  return text.length > maxUnits ? undefined : text
}

/** `findMember` along a path, e.g. `findAt(text, params, '_meta', 'progressToken')`. */
export function findAt(octets: Uint8Array, span: Span, ...path: readonly string[]): Span | undefined {
  let at: Span | undefined = span
  for (const name of path) at = at && findMember(octets, at, name)
  return at
}

/** The raw octets of every element of the array at `span`. More than `maxElements`: undefined, nothing was kept. */
export function arrayElements(octets: Uint8Array, span: Span, maxElements: number): Uint8Array[] | undefined {
  if (octets[span.start] !== OPEN_BRACKET) throw new MisuseError('ARGUMENT', 'no array stands there')
  const elements: Uint8Array[] = []
  let at = skipBlanks(octets, span.start + 1)
  while (octets[at] !== CLOSE_BRACKET) {
    if (elements.length === maxElements) return undefined
    const end = skipValue(octets, at)
    elements.push(octets.subarray(at, end))
    at = skipBlanks(octets, end)
    if (octets[at] === COMMA) at = skipBlanks(octets, at + 1)
  }
  return elements
}

/**
 * The text of the string at `span`, as JSON.parse reads it: a lone surrogate escape stays one (`isWellFormed()` tells).
 * Throws MisuseError ARGUMENT where no string of a scanned text stands there.
 */
export function stringValue(octets: Uint8Array, span: Span): string {
  return (span.end - span.start <= SHORT_OCTETS ? plainAscii(octets, span) : undefined) ?? anyString(octets, span)
}

const SHORT_OCTETS = 64

/** Most names and ids are short plain ASCII: no decoder needed. */
function plainAscii(octets: Uint8Array, span: Span): string | undefined {
  if (octets[span.start] !== QUOTE) return undefined
  let text = ''
  for (let at = span.start + 1; at < span.end - 1; at++) {
    const octet = octets[at] as number
    if (octet === 0x5c || octet >= 0x80) return undefined
    text += String.fromCharCode(octet)
  }
  return text
}

/** A string alone has no number to lose its spelling and no members to lose their order, so the parser may have it. */
function anyString(octets: Uint8Array, span: Span): string {
  const text = strictUtf8(octets.subarray(span.start, span.end))
  if (text?.startsWith('"')) {
    try {
      return String(JSON.parse(text))
    } catch {
      // said below
    }
  }
  throw new MisuseError('ARGUMENT', 'no string of a scanned text stands there')
}
