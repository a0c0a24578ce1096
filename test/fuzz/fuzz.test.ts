import { describe, expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'
import { FuzzFault, type Target } from './target.ts'
import { TARGETS } from './targets.ts'

const SEED = 20_261_130

describe.each(TARGETS.map((target) => [target.name, target] as const))('%s', (_name, target) => {
  it('accepts its own samples and answers damaged ones with its own errors only', () => {
    for (const sample of target.samples) target.run(sample)
    const { failure } = fuzz(target, { runs: 300, seed: SEED })
    expect(failure).toBeUndefined()
  })
})

describe('the fuzzer itself', () => {
  const target = (run: (octets: Uint8Array) => void): Target => ({ name: 'planted', samples: [new Uint8Array(8)], run })

  it('finds an error of a foreign class', () => {
    const planted = target((octets) => {
      if (octets.length > 10) throw new RangeError('planted')
    })
    const { failure } = fuzz(planted, { runs: 1_000, seed: SEED })
    expect(failure?.error).toBeInstanceOf(RangeError)
    expect(failure?.octets.length).toBe(11)
  })

  it('finds a broken invariant', () => {
    const planted = target((octets) => {
      if (octets.includes(9)) throw new FuzzFault('planted')
    })
    expect(fuzz(planted, { runs: 1_000, seed: SEED }).failure?.error).toBeInstanceOf(FuzzFault)
  })
})
