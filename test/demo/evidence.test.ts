import { describe, expect, it } from 'vitest'
import type { Entry } from '../fixtures/recorder/entries.ts'
import { pairUp } from './evidence.ts'

function entry(exchange: number, side: Entry['side'], kind: Entry['kind'], sha256: string): Entry {
  return { exchange, target: 0, path: '/', side, kind, octets: sha256.length, sha256 }
}

describe('pairUp', () => {
  it('puts the texts of the same exchange side by side, whatever the recorders count', () => {
    const north = [
      entry(4, 'request', 'request', 'a'),
      entry(4, 'response', 'notification', 'b'),
      entry(4, 'response', 'result', 'c'),
    ]
    const south = north.map((one) => ({ ...one, exchange: 9 }))
    expect(pairUp(north, south).map(({ equal }) => equal)).toEqual([true, true, true])
  })

  it('shows what differs and what never came by', () => {
    const north = [
      entry(0, 'request', 'request', 'a'),
      entry(0, 'response', 'result', 'b'),
      entry(1, 'request', 'request', 'c'),
    ]
    const south = [entry(0, 'request', 'request', 'a'), entry(0, 'response', 'result', 'x')]
    expect(pairUp(north, south).map(({ equal, south: seen }) => [equal, seen?.sha256])).toEqual([
      [true, 'a'],
      [false, 'x'],
      [false, undefined],
    ])
  })

  it('leaves out streams that each relay opens for itself', () => {
    const north = [
      entry(0, 'request', 'request', 'a'),
      entry(1, 'response', 'request', 'asked on a stream'),
      entry(0, 'response', 'result', 'b'),
      entry(2, 'request', 'result', 'the answer'),
    ]
    const south = [
      entry(0, 'request', 'request', 'a'),
      entry(5, 'response', 'request', 'asked on a stream'),
      entry(0, 'response', 'result', 'b'),
      entry(6, 'request', 'result', 'the answer'),
    ]
    expect(pairUp(north, south).map(({ equal }) => equal)).toEqual([true, true, true])
  })
})
