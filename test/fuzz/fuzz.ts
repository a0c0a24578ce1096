import { NpampError } from '@causeway/npamp'
import fc from 'fast-check'
import { FuzzFault, type Target } from './target.ts'

export interface FuzzBudget {
  readonly runs: number
  readonly timeMs?: number
  readonly seed?: number
}

export interface FuzzResult {
  readonly runs: number
  /** The shrunk input that broke something, with what it broke. */
  readonly failure: { readonly octets: Uint8Array; readonly error: unknown; readonly seed: number } | undefined
}

/** Damaged samples and plain noise against one decoder. */
export function fuzz(target: Target, budget: FuzzBudget): FuzzResult {
  const property = fc.property(inputs(target.samples), (octets) => tryOne(target, octets))
  const details = fc.check(property, {
    numRuns: budget.runs,
    endOnFailure: false,
    ...(budget.seed === undefined ? {} : { seed: budget.seed }),
    ...(budget.timeMs === undefined ? {} : { interruptAfterTimeLimit: budget.timeMs, markInterruptAsFailure: false }),
  })
  const [octets] = details.counterexample ?? []
  const failed = details.failed && octets !== undefined
  return {
    runs: details.numRuns,
    failure: failed ? { octets, error: details.errorInstance, seed: details.seed } : undefined,
  }
}

function tryOne(target: Target, octets: Uint8Array): void {
  const expected = target.expects ?? NpampError
  try {
    target.run(octets)
  } catch (error) {
    if (error instanceof FuzzFault || !(error instanceof expected)) throw error
  }
}

function inputs(samples: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const sample = fc.constantFrom(...samples)
  const damaged = fc
    .tuple(sample, fc.array(damage(), { maxLength: 4 }))
    .map(([octets, damages]) => damages.reduce((soFar, change) => change(soFar), octets))
  return fc.oneof({ weight: 1, arbitrary: fc.uint8Array({ maxLength: 512 }) }, { weight: 4, arbitrary: damaged })
}

type Damage = (octets: Uint8Array) => Uint8Array

/** Positions are fractions, so that one damage fits samples of every length. */
function damage(): fc.Arbitrary<Damage> {
  const at = fc.double({ min: 0, max: 1, noNaN: true })
  const index = (octets: Uint8Array, fraction: number) => Math.min(octets.length, Math.floor(fraction * octets.length))
  return fc.oneof(
    fc.tuple(at, fc.integer({ min: 0, max: 255 })).map(
      ([where, value]): Damage =>
        (octets) => {
          const changed = octets.slice()
          if (changed.length > 0) changed[Math.min(changed.length - 1, index(octets, where))] = value
          return changed
        },
    ),
    at.map(
      (where): Damage =>
        (octets) =>
          octets.slice(0, index(octets, where)),
    ),
    fc.tuple(at, fc.uint8Array({ maxLength: 16 })).map(
      ([where, more]): Damage =>
        (octets) => {
          const cut = index(octets, where)
          return Uint8Array.from([...octets.subarray(0, cut), ...more, ...octets.subarray(cut)])
        },
    ),
    fc.tuple(at, at).map(
      ([from, to]): Damage =>
        (octets) => {
          const start = index(octets, Math.min(from, to))
          const end = index(octets, Math.max(from, to))
          return Uint8Array.from([...octets.subarray(0, end), ...octets.subarray(start)])
        },
    ),
  )
}
