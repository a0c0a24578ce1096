import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isKubeError } from '../rest/kube-error.ts'
import { ListSplitter } from './split-list.ts'

const LIMITS = { maxObjectOctets: 10_000, what: 'list things' }

function split(text: string, chunkOctets: number, limits = LIMITS): { items: unknown[]; envelope: unknown } {
  const items: unknown[] = []
  const splitter = new ListSplitter(limits, (item) => items.push(JSON.parse(item.toString('utf8'))))
  const octets = Buffer.from(text)
  for (let at = 0; at < octets.length; at += chunkOctets) splitter.push(octets.subarray(at, at + chunkOctets))
  return { items, envelope: JSON.parse(splitter.end().toString('utf8')) }
}

describe('a list cut into its items', () => {
  const LIST = {
    apiVersion: 'v1',
    items: [{ items: [{ a: 1 }] }, { b: 'items":[{' }, { c: '\\"}]' }, {}],
    kind: 'List',
    metadata: { resourceVersion: '7', continue: 'items' },
    note: ['items', { items: [{ not: 'an item' }] }],
  }

  test.each([
    { name: 'compact', text: JSON.stringify(LIST) },
    { name: 'indented', text: JSON.stringify(LIST, null, 2) },
  ])('$name JSON gives the same at every length of the chunks', ({ text }) => {
    for (let chunkOctets = 1; chunkOctets <= text.length; chunkOctets++) {
      expect(split(text, chunkOctets)).toEqual({ items: LIST.items, envelope: { ...LIST, items: [] } })
    }
  })

  test('items may stand after the metadata, be empty, or be null', () => {
    const metadata = { resourceVersion: '7' }
    expect(split(JSON.stringify({ metadata, items: [{ a: 1 }] }), 5).items).toEqual([{ a: 1 }])
    expect(split(JSON.stringify({ metadata, items: [] }), 5)).toEqual({ items: [], envelope: { metadata, items: [] } })
    expect(split(JSON.stringify({ metadata, items: null }), 5)).toEqual({
      items: [],
      envelope: { metadata, items: null },
    })
  })

  test('what JSON.parse makes of the whole, for any objects and chunks', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 5 }),
        object,
        fc.integer({ min: 1, max: 64 }),
        (items, metadata, chunk) => {
          const text = JSON.stringify({ metadata, items, kind: 'List' })
          const plain = JSON.parse(text)
          expect(split(text, chunk, { ...LIMITS, maxObjectOctets: 1e6 })).toEqual({
            items: plain.items,
            envelope: { ...plain, items: [] },
          })
        },
      ),
    )
  })

  test('an object above the limit is refused before the rest of it is there', () => {
    const splitter = new ListSplitter(LIMITS, () => {})
    splitter.push(Buffer.from('{"items":[{"a":"'))
    const push = () => splitter.push(Buffer.alloc(LIMITS.maxObjectOctets, 'x'))
    expect(push).toThrow('list things: an object has more than 10000 octets')
  })

  test('an answer that is no list but goes on and on is refused', () => {
    const splitter = new ListSplitter(LIMITS, () => {})
    splitter.push(Buffer.from('{"items":"'))
    let error: unknown
    try {
      for (let chunk = 0; chunk < 100; chunk++) splitter.push(Buffer.alloc(1_024, 'x'))
    } catch (thrown) {
      error = thrown
    }
    expect(isKubeError(error, 'TooLarge')).toBe(true)
  })
})
