import { startChains } from '../parts/chains.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const WARM_UP_CALLS = 2_000
const CALLS_PER_ROUND = 300

export const firstEvent: Bench = {
  name: 'first-event',
  about: 'time from a call to its first notification of progress, through two plain proxies and through two relays',
  async run({ rounds, note }) {
    const { nullChain, mesh, stop } = await startChains()
    try {
      for (const { load } of [nullChain, mesh]) await load.firstEvents(WARM_UP_CALLS)
      const found: { plain: number; mesh: number }[] = []
      for (let round = 0; round < rounds; round++) {
        note(`round ${round + 1} of ${rounds}`)
        const plain = median(await nullChain.load.firstEvents(CALLS_PER_ROUND))
        found.push({ plain, mesh: median(await mesh.load.firstEvents(CALLS_PER_ROUND)) })
      }
      return [
        {
          name: 'time to the first progress event, against the null chain',
          figure: medianInterval(found.map(({ plain, mesh: own }) => own / plain)),
          unit: 'x',
          bar: { atMost: 1.5 },
          absolute: {
            'null chain ms': median(found.map((one) => one.plain)),
            'mesh ms': median(found.map((one) => one.mesh)),
          },
        },
      ]
    } finally {
      await stop()
    }
  },
}
