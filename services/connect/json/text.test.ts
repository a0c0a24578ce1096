import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { elements, findAt } from './text.mjs'

function at(text: string, ...path: string[]): string | undefined {
  const span = findAt(text, path)
  return span === undefined ? undefined : text.slice(span.start, span.end)
}

describe('findAt', () => {
  it('finds a value as it was written', () => {
    const text = ' {"a" : {"\\u0062": 1.00e+2 , "c":"\\\\\\""}, "d":[{"a":2}], "id" :12345678901234567890} '
    expect(at(text, 'a', 'b')).toBe('1.00e+2')
    expect(at(text, 'a', 'c')).toBe('"\\\\\\""')
    expect(at(text, 'd')).toBe('[{"a":2}]')
    expect(at(text, 'id')).toBe('12345678901234567890')
    expect(at(text, 'a', 'b', 'x')).toBeUndefined()
    expect(at(text, 'd', 'a')).toBeUndefined()
    expect(at('{"id":1,"id":2}', 'id'), 'as JSON.parse takes it').toBe('2')
  })

  it('finds in any JSON text what JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const parsed = JSON.parse(text) as Record<string, unknown>
        for (const [name, member] of Object.entries(parsed)) {
          expect(JSON.parse(at(text, name) ?? 'missing')).toEqual(member)
        }
      }),
    )
  })
})

it('elements of an array are slices of it', () => {
  expect(elements(' [ {"a":[1,"]"]} , 1.0,[] ] ')).toEqual(['{"a":[1,"]"]}', '1.0', '[]'])
  expect(elements('[]')).toEqual([])
})
