import { expect, it } from 'vitest'
import { clientNameOf, isClientName } from './name.ts'

it.each([
  ['search', 'search'],
  ['a.b', 'a-b'],
  ['.a~.b~', 'a-b'],
  ['~', 'server'],
  ['x'.repeat(200), 'x'.repeat(64)],
])('the segment %s becomes %s, which clients take', (segment, name) => {
  expect(clientNameOf(segment)).toBe(name)
  expect(isClientName(name)).toBe(true)
})
