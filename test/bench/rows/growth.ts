import { startTwoRelays } from '../../fixtures/mesh/two-relays.ts'
import { startFixture } from '../../fixtures/process/fixture.ts'
import { cpuMs } from '../parts/cpu.ts'
import { type Load, startLoad } from '../parts/load.ts'
import { whenOneEnds } from '../parts/when-one-ends.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const FEW = 10
const MANY = 10_000
const WARM_UP_CALLS = 8_000
const CALLS_PER_ROUND = 1_000

interface Side {
  readonly load: Load
  readonly pids: readonly number[]
}

interface Cost {
  readonly p50: number
  readonly cpuPerCall: number
}

export const growth: Bench = {
  name: 'growth',
  about: 'what a call costs beside 10 and beside 10,000 configured routes and peers',
  async run({ rounds, note }) {
    const server = await startFixture<{ url: string }>(new URL('../parts/answering-server.ts', import.meta.url))
    const start = (idle: number) => startTwoRelays({ backends: { bench: server.info.url }, logLevel: 'warn', idle })
    const small = await start(FEW)
    const large = await start(MANY)
    const sides = [small, large].map((relays): Side => {
      return { load: startLoad(relays.endpoint('bench')), pids: [relays.edge.pid, relays.tools.pid] }
    })
    const { edge, tools } = large
    const processes = { server, edge, tools, 'small edge': small.edge, 'small tools': small.tools }
    const watch = whenOneEnds(processes, (error) => {
      for (const { load } of sides) load.fail(error)
    })
    try {
      for (const { load } of sides) await load.sequential(WARM_UP_CALLS)
      const found: (readonly [Cost, Cost])[] = []
      for (let round = 0; round < rounds; round++) {
        const [few, many] = sides
        if (few === undefined || many === undefined) break
        found.push([await cost(few), await cost(many)])
        note(`round ${round + 1} of ${rounds}`)
      }
      const row = (name: string, what: keyof Cost) => ({
        name,
        figure: medianInterval(found.map(([few, many]) => many[what] / few[what])),
        unit: 'x' as const,
        bar: { atMost: 1.2 },
        absolute: {
          'beside 10, ms': median(found.map(([few]) => few[what])),
          'beside 10,000, ms': median(found.map(([, many]) => many[what])),
        },
      })
      return [
        row('p50 of a call beside 10,000 routes and peers, against 10', 'p50'),
        row('CPU of a call beside 10,000 routes and peers, against 10', 'cpuPerCall'),
      ]
    } finally {
      watch.stop()
      await Promise.all(sides.map((side) => side.load.close()))
      await Promise.all([small.stop(), large.stop(), server.stop()])
    }
  },
}

async function cost({ load, pids }: Side): Promise<Cost> {
  const before = cpuMs(pids)
  const times = await load.sequential(CALLS_PER_ROUND)
  return { p50: median(times), cpuPerCall: (cpuMs(pids) - before) / CALLS_PER_ROUND }
}
