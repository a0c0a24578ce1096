import { expect, it } from 'vitest'
import { tableOf } from './table.ts'

it('is as wide as the widest of each column', () => {
  expect(
    tableOf(
      [
        ['a', 'bb', 'c'],
        ['aaa', 'b'],
        ['', '', 'd'],
      ],
      ' ',
    ),
  ).toBe(' a    bb  c\n aaa  b\n          d\n')
})

it('has one line for each row, whatever somebody has put into a cell', () => {
  const cell = `x${String.fromCharCode(27)}[2J\r\n  ok       all is well\u202e\u0085y`
  expect(tableOf([[cell, 'z']])).toBe('x [2J   ok       all is well y  z\n')
})
