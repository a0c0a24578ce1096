import { type Chain, type Chains, startChains } from '../parts/chains.ts'
import { cpuMs } from '../parts/cpu.ts'
import type { Bench, Row } from '../row.ts'
import { median, medianInterval, quantile } from '../stats.ts'

/** Until the engine has compiled what it will: a relay has several times the code of a plain proxy. */
const WARM_UP_CALLS = 8_000
const CALLS_PER_ROUND = 1_000

interface Sample {
  readonly p50: number
  readonly p99: number
  readonly cpuPerCall: number
}

export const call: Bench = {
  name: 'call',
  about: 'one small tools/call after another: directly, through two plain proxies, through two relays',
  async run({ rounds, note }) {
    const chains = await startChains()
    try {
      const all = [chains.direct, chains.nullChain, chains.mesh]
      for (const chain of all) await chain.load.sequential(WARM_UP_CALLS)
      const perRound: Record<Chain['name'], Sample>[] = []
      for (let round = 0; round < rounds; round++) {
        note(`round ${round + 1} of ${rounds}`)
        perRound.push(await interleaved(chains))
      }
      return rowsOf(perRound)
    } finally {
      await chains.stop()
    }
  },
}

async function interleaved({ direct, nullChain, mesh }: Chains): Promise<Record<Chain['name'], Sample>> {
  return { direct: await sample(direct), 'null chain': await sample(nullChain), mesh: await sample(mesh) }
}

async function sample({ load, pids }: Chain): Promise<Sample> {
  const before = cpuMs(pids)
  const times = await load.sequential(CALLS_PER_ROUND)
  const cpuPerCall = (cpuMs(pids) - before) / CALLS_PER_ROUND
  return { p50: median(times), p99: quantile(times, 0.99), cpuPerCall }
}

function rowsOf(rounds: readonly Record<Chain['name'], Sample>[]): Row[] {
  const figure = (of: (round: Record<Chain['name'], Sample>) => number) => medianInterval(rounds.map(of))
  const absolute = (name: Chain['name'], what: keyof Sample) => median(rounds.map((round) => round[name][what]))
  return [
    {
      name: 'tools/call: p50 that two relays add, against the null chain',
      figure: figure(({ direct, 'null chain': plain, mesh }) => (mesh.p50 - direct.p50) / (plain.p50 - direct.p50)),
      unit: 'x',
      bar: { atMost: 1.5 },
      absolute: {
        'direct p50 ms': absolute('direct', 'p50'),
        'null chain p50 ms': absolute('null chain', 'p50'),
        'mesh p50 ms': absolute('mesh', 'p50'),
      },
    },
    {
      name: 'tools/call: CPU of both relays, against both proxies',
      figure: figure(({ 'null chain': plain, mesh }) => mesh.cpuPerCall / plain.cpuPerCall),
      unit: 'x',
      bar: { atMost: 1.5 },
      absolute: {
        'null chain CPU ms a call': absolute('null chain', 'cpuPerCall'),
        'mesh CPU ms a call': absolute('mesh', 'cpuPerCall'),
      },
    },
    {
      name: "tools/call: p99 beyond the null chain's",
      figure: figure(({ 'null chain': plain, mesh }) => mesh.p99 - plain.p99),
      unit: 'ms',
      bar: { atMost: 2 },
      absolute: { 'null chain p99 ms': absolute('null chain', 'p99'), 'mesh p99 ms': absolute('mesh', 'p99') },
    },
  ]
}
