import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonNode, JsonSyntaxError, placeOf } from './node.ts'
import { parseJson } from './parse.ts'

function plain(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.elements.map(plain)
  return Object.fromEntries(node.members.map(({ name, value }) => [name, plain(value)]))
}

function refusal(text: string): string {
  try {
    parseJson(text)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const { line, column } = placeOf(text, error.offset)
    return `${line}:${column}: ${error.message}`
  }
}

describe('reading JSON as editors write it', () => {
  it('reads every value that JSON has', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }).filter((text) => !text.includes('__proto__')),
        fc.constantFrom(0, 2),
        (text, indent) => {
          const value: unknown = JSON.parse(text)
          expect(plain(parseJson(JSON.stringify(value, null, indent)))).toEqual(value)
        },
      ),
    )
  })

  it('skips comments, a byte order mark and a comma behind the last entry', () => {
    expect(plain(parseJson('\uFEFF// first\n{"a": /* x */ [1, 2,], "b": "// no comment",}\n/* last */'))).toEqual({
      a: [1, 2],
      b: '// no comment',
    })
  })

  it('knows where everything stands', () => {
    const text = '{\n  "a": "x"\n}'
    const node = parseJson(text)
    if (node.kind !== 'object') throw new Error('an object was parsed')
    const [member] = node.members
    expect(placeOf(text, member?.nameStart ?? 0)).toEqual({ line: 2, column: 3 })
    expect(text.slice(member?.value.start, member?.value.end)).toBe('"x"')
  })

  it.each([
    ['', '1:1: expected a value, found the end of the file'],
    ['{"a": 1', '1:8: expected , or }, found the end of the file'],
    ['{"a": 1\n"b": 2}', '2:1: expected , or }, found "'],
    ["{'a': 1}", '1:2: expected a name in "quotes" or }, found \''],
    ['{"a" 1}', '1:6: expected : behind the name, found 1'],
    ['[1 2]', '1:4: expected , or ], found 2'],
    ['{"a": tru}', '1:7: expected a value, found t'],
    ['{"a": 01}', '1:7: expected a value, found 0'],
    ['{"a": 1} x', '1:10: expected nothing more, found x'],
    ['{"a": "x\n"}', '1:9: a string ends with " on the line where it begins'],
    ['{"a": "C:\\dir"}', '1:10: no escape of JSON; a backslash itself is written \\\\'],
    ['{"a": "x', '1:7: this string has no end'],
    ['{"a": 1, "a": 2}', '1:10: this name stands here twice'],
    ['/* x', '1:1: this comment has no end'],
    ['\u00a0{}', '1:1: expected a value, found U+00A0'],
    ['['.repeat(100), '1:66: is nested more than 64 deep'],
  ])('%j', (text, expected) => expect(refusal(text)).toBe(expected))

  it('throws nothing else, whatever the text is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void refusal(text)))
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\u0 1\n') }), (text) => void refusal(text)))
  })
})
