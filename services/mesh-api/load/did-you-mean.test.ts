import { expect, it } from 'vitest'
import { nearest } from './did-you-mean.ts'

it.each([
  ['keyFil', ['keyFile', 'algorithm'], 'keyFile'],
  ['adresses', ['addresses', 'associations'], 'addresses'],
  ['KeyFile', ['keyFile'], 'keyFile'],
  ['backend', ['peer', 'backendRef'], 'backendRef'],
  ['hots', ['port', 'host'], 'host'],
  ['xyz', ['host', 'port'], undefined],
  ['p', ['host', 'port'], undefined],
  ['keyFile', [], undefined],
  ['', ['a'], 'a'],
  ['x'.repeat(100), ['x'], undefined],
])('%s among %j is %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected)
})
