import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdapterProcess, startAdapter } from './adapter-process.ts'
import { corpus, mismatch } from './corpus.ts'

let adapter: AdapterProcess
beforeAll(() => {
  adapter = startAdapter()
})
afterAll(() => adapter.close())

it('the corpus is whole', () => {
  expect(corpus().reduce((sum, group) => sum + group.tests.length, 0)).toBe(191)
})

describe.each(corpus().map((group) => [group.op, group] as const))('%s', (op, group) => {
  it(`all ${group.tests.length} vectors pass`, async () => {
    for (const vector of group.tests) {
      const why = mismatch(vector, await adapter.ask(op, vector.in))
      expect(why, `#${vector.tcId} ${vector.comment}`).toBeUndefined()
    }
  })
})

it('an unknown operation is said to be skipped, never passed', async () => {
  expect(await adapter.ask('no.such.operation', {})).toHaveProperty('skipped')
})
