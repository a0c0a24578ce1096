import { setTimeout as delay } from 'node:timers/promises'
import { OperatorStand } from '../../operator/operator-stand.ts'
import { settledWrites, thousandObjects, writesOf } from '../../operator/thousand-objects.ts'
import { cpuMs } from '../parts/cpu.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const NAMESPACE = 'shop'
const MEASURED_MS = 10_000

interface Change {
  readonly name: string
  make(stand: OperatorStand, round: number): Promise<unknown>
}

const CHANGES: readonly Change[] = [
  {
    name: 'of a route',
    make: ({ kube }, round) => kube.patch('MeshRoute', NAMESPACE, 'route-7', { spec: { path: `/seven-${round}` } }),
  },
  {
    name: "of a relay's replicas",
    make: ({ kube }, round) =>
      kube.patch('MeshRelay', NAMESPACE, 'relay-3', { spec: { replicas: 1 + ((round + 1) % 2) } }),
  },
  {
    name: "of a relay's labels",
    make: ({ kube }, round) =>
      kube.patch('MeshRelay', NAMESPACE, 'relay-3', { metadata: { labels: { round: `r${round}` } } }),
  },
]

export const operatorIdle: Bench = {
  name: 'operator-idle',
  about: 'what an operator with a thousand objects uses when nothing happens, and writes when something does',
  async run({ rounds, note }) {
    const stand = await OperatorStand.start({ watched: [NAMESPACE] })
    try {
      await stand.cluster.apply(thousandObjects(NAMESPACE))
      const operator = await stand.startLeading()
      await settledWrites(stand, 0)
      const shares: number[] = []
      const writes: number[][] = []
      for (let round = 0; round < rounds; round++) {
        const before = cpuMs([operator.pid])
        await delay(MEASURED_MS)
        shares.push(((cpuMs([operator.pid]) - before) * 1_000) / MEASURED_MS)
        const counts: number[] = []
        for (const change of CHANGES) {
          const { length } = await writesOf(stand)
          await change.make(stand, round)
          counts.push((await settledWrites(stand, length)).length)
        }
        writes.push(counts)
        note(`round ${round + 1} of ${rounds}`)
      }
      const most = writes.map((counts) => Math.max(...counts))
      return [
        {
          name: 'CPU of an operator with 1,000 objects and nothing to do, of each second',
          figure: medianInterval(shares),
          unit: 'ms',
          bar: { atMost: 20 },
          absolute: {},
        },
        {
          name: 'writes to the API server for one change, the most of any kind of change',
          figure: medianInterval(most),
          unit: 'writes',
          bar: { atMost: 3 },
          absolute: Object.fromEntries(
            CHANGES.map(({ name }, at) => [name, median(writes.map((counts) => counts[at] ?? Number.NaN))]),
          ),
        },
      ]
    } finally {
      await stand.stop()
    }
  },
}
