import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../../test/fixtures/npamp/errors.ts'
import { blanks, spelledJson, spelledString } from '../../../../test/fixtures/npamp/json-spelling.ts'
import { MAX_JSON_DEPTH } from './json-lexer.ts'
import {
  arrayElements,
  eachMember,
  findAt,
  findMember,
  jsonKind,
  jsonText,
  type Span,
  shortText,
  stringValue,
} from './json-text.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const whole = (octets: Uint8Array): Span => ({ start: 0, end: octets.length })

describe('jsonText', () => {
  it('agrees with JSON.parse about every spelling of a value, and reads the same value', () => {
    fc.assert(
      fc.property(spelledJson, blanks(), blanks(), (text, before, after) => {
        const octets = utf8(before + text + after)
        const span = jsonText(octets, isUtf8)
        expect(new TextDecoder().decode(octets.subarray(span.start, span.end))).toBe(text)
        expect(read(octets, span)).toStrictEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('agrees with JSON.parse about texts with one octet changed, added or taken away', () => {
    const damage = fc.record({ at: fc.nat(), how: fc.constantFrom('change', 'insert', 'remove'), octet: likelyOctet() })
    fc.assert(
      fc.property(spelledJson, damage, (text, { at, how, octet }) => {
        const octets = [...utf8(text)]
        const position = at % octets.length
        octets.splice(position, how === 'insert' ? 0 : 1, ...(how === 'remove' ? [] : [octet]))
        const damaged = Uint8Array.from(octets)
        expect(accepts(damaged)).toBe(parses(damaged))
      }),
      { numRuns: 3000 },
    )
  })

  it('agrees with JSON.parse about arbitrary octets', () => {
    fc.assert(
      fc.property(fc.array(likelyOctet(), { maxLength: 12 }), (octets) => {
        const text = Uint8Array.from(octets)
        expect(accepts(text)).toBe(parses(text))
      }),
      { numRuns: 5000 },
    )
  })

  it('finds the fault in a long string at every place and alignment', () => {
    for (let offset = 0; offset < 4; offset++) {
      for (const fault of [0x00, 0x1f, 0x0a, 0x22]) {
        for (let at = 1; at < 200; at += 7) {
          const octets = new Uint8Array(offset + 260).subarray(offset).fill(0x7f)
          octets[0] = 0x22
          octets[octets.length - 1] = 0x22
          expect(accepts(octets)).toBe(true)
          octets[at] = fault
          expect(accepts(octets)).toBe(false)
        }
      }
    }
  })

  it('steps over escapes in a long string at every place', () => {
    for (let at = 0; at < 200; at++) {
      const text = `"${'é'.repeat(at)}\\"\\u0041${'x'.repeat(300)}"`
      const octets = utf8(text)
      expect(stringValue(octets, jsonText(octets))).toBe(JSON.parse(text))
    }
  })

  it.each([
    ['a byte order mark', '\ufeff{}'],
    ['nothing', ''],
    ['blanks only', ' \n'],
    ['a form feed as a blank', '\f1'],
    ['two values', '1 2'],
    ['a leading zero', '01'],
    ['a bare point', '1.'],
    ['a plus sign', '+1'],
    ['an empty exponent', '1e'],
    ['a hexadecimal number', '0x1'],
    ['NaN', 'NaN'],
    ['a single-quoted string', "'a'"],
    ['an unknown escape', '"\\x41"'],
    ['a short \\u', '"\\u12"'],
    ['a trailing comma in an array', '[1,]'],
    ['a trailing comma in an object', '{"a":1,}'],
    ['a name without quotes', '{a:1}'],
    ['a missing colon', '{"a" 1}'],
    ['a wrong closing bracket', '[1}'],
    ['an open array', '[['],
    ['an open string', '"abc'],
    ['a comment', '1 // one'],
    ['a word', 'nul'],
  ])('refuses %s', (_, text) => {
    expect(failure(() => jsonText(utf8(text)))).toBe('malformed/JSON')
  })

  it.each([
    ['overlong', '22c0af22'],
    ['a surrogate', '22eda08022'],
    ['a lone lead octet', '22c322'],
    ['ff', '22ff22'],
  ])('refuses octets that are not UTF-8 (%s), with and without the native check', (_, hex) => {
    const octets = Uint8Array.from(Buffer.from(hex, 'hex'))
    expect(failure(() => jsonText(octets))).toBe('malformed/JSON')
    expect(failure(() => jsonText(octets, isUtf8))).toBe('malformed/JSON')
  })

  it('bounds nesting without recursion', () => {
    const nested = (depth: number) => utf8('['.repeat(depth) + ']'.repeat(depth))
    expect(accepts(nested(MAX_JSON_DEPTH))).toBe(true)
    expect(failure(() => jsonText(nested(MAX_JSON_DEPTH + 1)))).toBe('malformed/JSON')
    expect(failure(() => jsonText(utf8('{"a":'.repeat(1_000_000))))).toBe('malformed/JSON')
  })

  it('refuses every text that is cut short', () => {
    fc.assert(
      fc.property(spelledJson, (text) => {
        const octets = utf8(text)
        for (let end = 0; end < octets.length; end++) {
          const cut = octets.subarray(0, end)
          expect(accepts(cut)).toBe(parses(cut))
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('members and elements', () => {
  const octets = utf8(' {"a":{"b":[1, {"c":2} ,"x"]},"\\u0061b":true,"dup":1,"dup":2}')
  const span = jsonText(octets)

  it('finds members by their decoded names, along a path', () => {
    const found = findAt(octets, span, 'a', 'b')
    expect(found && text(octets, found)).toBe('[1, {"c":2} ,"x"]')
    const escaped = findMember(octets, span, 'ab')
    expect(escaped && jsonKind(octets, escaped)).toBe('boolean')
    expect(findAt(octets, span, 'a', 'b', 'c')).toBeUndefined()
    expect(findAt(octets, span, 'nothing', 'b')).toBeUndefined()
  })

  it('finds a member exactly where a parser finds one, however both names are spelled', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\\', '"'), maxLength: 3 })
    const escaped = (name: string) =>
      `"${[...name].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(short, fc.boolean()), { maxLength: 6 }), short, (names, wanted) => {
        const members = names.map(
          ([name, escapes], value) => `${escapes ? escaped(name) : JSON.stringify(name)}:${value}`,
        )
        const object = utf8(`{${members.join()}}`)
        const found = findMember(object, whole(object), wanted)
        const parsed = Object.entries(JSON.parse(`{${members.join()}}`)).find(([name]) => name === wanted)
        expect(found && Number(text(object, found))).toBe(parsed?.[1])
      }),
    )
  })

  it('takes the last of repeated members, as common parsers do', () => {
    const found = findMember(octets, span, 'dup')
    expect(found && text(octets, found)).toBe('2')
  })

  it('slices an array into raw elements, or refuses before keeping more than asked for', () => {
    const array = findAt(octets, span, 'a', 'b')
    if (array === undefined) throw new Error('no array')
    expect(arrayElements(octets, array, 3)?.map((element) => new TextDecoder().decode(element))).toEqual([
      '1',
      '{"c":2}',
      '"x"',
    ])
    expect(arrayElements(octets, array, 2)).toBeUndefined()
    expect(failure(() => arrayElements(octets, span, 9))).toBe('misuse/ARGUMENT')
  })

  it('reads strings as JSON.parse does, lone surrogates and byte order marks included', () => {
    fc.assert(
      fc.property(spelledString(100), (spelling) => {
        const token = utf8(spelling)
        expect(stringValue(token, whole(token))).toBe(JSON.parse(spelling))
      }),
    )
    const lone = utf8('"\\ud800x"')
    expect(stringValue(lone, whole(lone)).isWellFormed()).toBe(false)
    const marked = utf8(`"\ufeff${'y'.repeat(100)}"`)
    expect(stringValue(marked, whole(marked)).codePointAt(0)).toBe(0xfeff)
  })

  it('does not decode a string that is longer than wanted', () => {
    const token = utf8(`"${'n'.repeat(43)}"`)
    expect(shortText(token, whole(token), 7)).toBeUndefined()
    expect(shortText(token, whole(token), 43)).toBe('n'.repeat(43))
  })

  it('refuses to read a string where none stands', () => {
    for (const token of ['1', '', '"a', 'x"', '"\\q"'])
      expect(failure(() => stringValue(utf8(token), { start: 0, end: 65 }))).toBe('misuse/ARGUMENT')
  })
})

function accepts(octets: Uint8Array): boolean {
  const outcome = failure(() => jsonText(octets, isUtf8))
  if (outcome !== 'none' && outcome !== 'malformed/JSON') throw new Error(outcome)
  return outcome === 'none'
}

function parses(octets: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets))
    return true
  } catch {
    return false
  }
}

/** The value, built from the scanner's marks alone. */
function read(octets: Uint8Array, span: Span): unknown {
  switch (jsonKind(octets, span)) {
    case 'object': {
      const members: [string, unknown][] = []
      eachMember(octets, span.start, (nameStart, nameEnd, start, end) => {
        const name = stringValue(octets, { start: nameStart, end: nameEnd })
        members.push([name, read(octets, { start, end })])
      })
      return Object.fromEntries(members)
    }
    case 'array':
      return arrayElements(octets, span, 1000)?.map((element) => read(element, whole(element)))
    case 'string':
      return stringValue(octets, span)
    case 'number':
      return Number(text(octets, span))
    case 'boolean':
      return text(octets, span) === 'true'
    case 'null':
      return null
  }
}

function text(octets: Uint8Array, span: Span): string {
  return new TextDecoder().decode(octets.subarray(span.start, span.end))
}

function likelyOctet(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(...Array.from('{}[]":,\\/ \t\n\r0123456789-+.eEtrufalsn', (character) => character.charCodeAt(0))),
    fc.integer({ min: 0, max: 255 }),
  )
}
