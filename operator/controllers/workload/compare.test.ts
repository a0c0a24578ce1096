import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { APPLIED_ANNOTATION, covers, withDigest } from './compare.ts'

describe('covers', () => {
  it.each([
    ['a field that the API server added', { a: 1 }, { a: 1, b: 2 }, true],
    ['a field that is missing', { a: 1, b: 2 }, { a: 1 }, false],
    ['a field that is another', { a: 1 }, { a: 2 }, false],
    ['an entry of a list that is missing', { a: [1, 2] }, { a: [1] }, false],
    ['an entry of a list that nobody wants', { a: [1] }, { a: [1, 2] }, false],
    ['entries in another order', { a: [1, 2] }, { a: [2, 1] }, false],
    ['defaults inside of entries', { a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true],
    ['nothing, where nothing is', { a: {}, b: [] }, {}, true],
    ['nothing, where something is', { b: [] }, { b: [1] }, false],
    ['a text for a number', { a: 1 }, { a: '1' }, false],
    ['null', { a: {} }, { a: null }, false],
    ['a label more in a selector', { selector: { a: 'b' } }, { selector: { a: 'b', c: 'd' } }, false],
    [
      'a label more that a rule asks for',
      { ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }] }] },
      { ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b', c: 'd' } } }] }] },
      false,
    ],
    [
      'a selector as it is',
      { podSelector: { matchLabels: { a: 'b' } } },
      { podSelector: { matchLabels: { a: 'b' } } },
      true,
    ],
  ])('%s', (_, wanted, found, result) => {
    expect(covers(wanted, found)).toBe(result)
  })

  it('holds for whatever it is and itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => covers(value, structuredClone(value))))
  })
})

describe('the digest of what was applied', () => {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', labels: {} } }
  const digest = (more: object) => withDigest({ ...manifest, ...more }).metadata.annotations?.[APPLIED_ANNOTATION]

  it('changes with every field, and with one that is gone', () => {
    expect(digest({ data: { a: 'b' } })).toBe(digest({ data: { a: 'b' } }))
    expect(digest({ data: { a: 'c' } })).not.toBe(digest({ data: { a: 'b' } }))
    expect(digest({ data: {} })).not.toBe(digest({ data: { a: 'b' } }))
  })
})
