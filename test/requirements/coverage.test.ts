import { expect, it } from 'vitest'
import { citedIn, coverage } from './coverage.ts'
import type { Requirement } from './manifest.ts'
import { requirement } from './requirement.ts'

const must = (id: string): Requirement => ({ id, level: 'MUST', area: 'demo', text: '', source: '' })

it('every MUST of a finished area is cited, and no id is unknown', () => {
  expect(coverage().faults).toEqual([])
})

it('a citation of an id that no manifest has is refused at once', () => {
  const unknown = 'WIRE-999'
  expect(() => requirement(unknown)).toThrow('unknown requirement id WIRE-999')
})

it('an uncited MUST of a finished area is a fault, one left for later is not', () => {
  const finished = { areas: ['demo'], later: { 'D-2': 'comes with streams' } }
  const result = coverage([must('D-1'), must('D-2'), must('D-3')], new Map([['D-3', ['a.test.ts']]]), finished)
  expect(result.faults).toEqual(['D-1 (MUST, finished area demo) is cited by no test'])
  expect(result.areas[0]).toMatchObject({ cited: 1, must: 3, total: 3, later: ['D-2'], uncitedMust: ['D-1'] })
})

it('an unknown citation, a stale entry and an unknown area are faults', () => {
  const finished = { areas: ['nowhere'], later: { 'D-1': 'was open', 'D-8': 'never existed' } }
  const cited = new Map([
    ['D-1', ['a.test.ts']],
    ['D-9', ['b.test.ts']],
  ])
  expect(coverage([must('D-1')], cited, finished).faults).toHaveLength(4)
})

it('citations are read from literal calls, several ids and line breaks included', () => {
  const call = (ids: string) => ['requirement', `(${ids})`].join('')
  const source = `it(${call("'A-1'")}, x)\nit(${call("\n  'B-2',\n  'C-3',\n")}, y)`
  expect([...citedIn(source)]).toEqual(['A-1', 'B-2', 'C-3'])
})
