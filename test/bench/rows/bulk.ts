import { type Chain, type Chains, startChains } from '../parts/chains.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval, quantile } from '../stats.ts'

const BULK_OCTETS = 10 * 1024 * 1024
const BULK_CALLS = 8
const WARM_UP_CALLS = 4_000
const SMALL_PER_SECOND = 100
const SECONDS = 5

export const bulk: Bench = {
  name: 'bulk',
  about: '10 MB results, and small calls while one such result a second crosses, against the null chain',
  async run({ rounds, note }) {
    const chains = await startChains()
    try {
      for (const chain of [chains.nullChain, chains.mesh]) {
        await chain.load.sequential(WARM_UP_CALLS)
        await chain.load.sequential(BULK_CALLS, BULK_OCTETS)
      }
      return [await throughput(chains, rounds), await beside(chains, rounds, note)]
    } finally {
      await chains.stop()
    }
  },
}

async function throughput({ nullChain, mesh }: Chains, rounds: number): Promise<Row> {
  const times: { plain: number; mesh: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const bulkMs = async (chain: Chain) => median(await chain.load.sequential(BULK_CALLS, BULK_OCTETS))
    times.push({ plain: await bulkMs(nullChain), mesh: await bulkMs(mesh) })
  }
  return {
    name: '10 MB result: speed against the null chain',
    figure: medianInterval(times.map(({ plain, mesh: own }) => plain / own)),
    unit: 'x',
    bar: { atLeast: 0.5 },
    absolute: {
      'null chain ms': median(times.map((one) => one.plain)),
      'mesh ms': median(times.map((one) => one.mesh)),
    },
  }
}

async function beside({ nullChain, mesh }: Chains, rounds: number, note: (text: string) => void): Promise<Row> {
  const p99s: { plain: number; mesh: number }[] = []
  for (let round = 0; round < rounds; round++) {
    p99s.push({ plain: await smallP99(nullChain), mesh: await smallP99(mesh) })
    note(`round ${round + 1} of ${rounds}`)
  }
  return {
    name: 'small-call p99 beside one 10 MB result a second, against the null chain',
    figure: medianInterval(p99s.map(({ plain, mesh: own }) => own / plain)),
    unit: 'x',
    bar: { atMost: 1.5 },
    absolute: {
      'null chain p99 ms': median(p99s.map((one) => one.plain)),
      'mesh p99 ms': median(p99s.map((one) => one.mesh)),
    },
  }
}

async function smallP99({ load, name }: Chain): Promise<number> {
  const bulkCalls: Promise<unknown>[] = []
  const every = setInterval(() => bulkCalls.push(load.sequential(1, BULK_OCTETS)), 1_000)
  const times = await load.atRate(SMALL_PER_SECOND, SECONDS)
  clearInterval(every)
  await Promise.all(bulkCalls)
  if (times === undefined) throw new Error(`${name}: ${SMALL_PER_SECOND} small calls a second are too many`)
  return quantile(times, 0.99)
}
