import { type Chain, startChains } from '../parts/chains.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval, quantile } from '../stats.ts'

const P99_LIMIT_MS = 10
const SECONDS = 1.5
/** What else the machine does only ever makes a rate fail: it holds when it does once. */
const TRIES = 3
const WARM_UP_CALLS = 8_000
const FIRST_RATE = 100
/** The search ends when lower and upper bound are this close. */
const PRECISION = 1.08

export const rate: Bench = {
  name: 'rate',
  about: 'highest rate of tools/call at which p99 stays within 10 ms, through two relays against directly',
  async run({ rounds, note }) {
    const chains = await startChains()
    try {
      for (const chain of [chains.direct, chains.nullChain, chains.mesh]) await chain.load.sequential(WARM_UP_CALLS)
      const found: { direct: number; mesh: number }[] = []
      for (let round = 0; round < rounds; round++) {
        const direct = await highestRate(chains.direct)
        const mesh = await highestRate(chains.mesh)
        note(`round ${round + 1} of ${rounds}: direct ${direct.toFixed(0)}/s, mesh ${mesh.toFixed(0)}/s`)
        found.push({ direct, mesh })
      }
      const nullChain = await highestRate(chains.nullChain)
      return [
        {
          name: 'highest rate with p99 <= 10 ms, against direct',
          figure: medianInterval(found.map(({ direct, mesh }) => mesh / direct)),
          unit: 'x',
          bar: { atLeast: 0.35 },
          absolute: {
            'direct calls/s': median(found.map((one) => one.direct)),
            'mesh calls/s': median(found.map((one) => one.mesh)),
            'null chain calls/s, once': nullChain,
          },
        },
      ]
    } finally {
      await chains.stop()
    }
  },
}

/** Doubles until it is too much, then halves the distance. */
async function highestRate(chain: Chain): Promise<number> {
  let good = FIRST_RATE
  let bad = FIRST_RATE * 2
  while (await holds(chain, bad)) {
    good = bad
    bad *= 2
  }
  while (bad / good > PRECISION) {
    const middle = Math.sqrt(good * bad)
    if (await holds(chain, middle)) good = middle
    else bad = middle
  }
  return good
}

async function holds({ load }: Chain, perSecond: number): Promise<boolean> {
  for (let left = TRIES; left > 0; left--) {
    const times = await load.atRate(perSecond, SECONDS)
    if (times !== undefined && quantile(times, 0.99) <= P99_LIMIT_MS) return true
  }
  return false
}
