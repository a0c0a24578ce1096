import { startFixture } from '../../fixtures/process/fixture.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const FEW = 500
const MANY = 2_000
const KIB = 1024
/**
 * V8 enlarges its young generation, and throws compiled code away, once per process and at some time or other: several MiB
 * that would be taken here for what connections hold.
 */
const STEADY_V8 = ['--max-semi-space-size=1', '--no-flush-bytecode']

export const memory: Bench = {
  name: 'memory',
  about: 'resident memory of an idle association beyond a bare TLS socket, both ends together, 500 to 2,000 of them',
  async run({ rounds, note }) {
    const found: { bare: number; npamp: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const one = { bare: await kibPerConnection('bare'), npamp: await kibPerConnection('npamp') }
      note(`round ${round + 1} of ${rounds}: bare ${one.bare.toFixed(1)} KiB, association ${one.npamp.toFixed(1)} KiB`)
      found.push(one)
    }
    return [
      {
        name: 'memory of an idle association beyond a bare TLS socket',
        figure: medianInterval(found.map(({ bare, npamp }) => npamp - bare)),
        unit: 'KiB',
        bar: { atMost: 20 },
        absolute: {
          'bare TLS, both ends, KiB': median(found.map((one) => one.bare)),
          'association, both ends, KiB': median(found.map((one) => one.npamp)),
        },
      },
    ]
  },
}

async function kibPerConnection(kind: 'bare' | 'npamp'): Promise<number> {
  const script = new URL('../parts/idle-connections.ts', import.meta.url)
  const child = await startFixture(script, [kind], { execArgv: ['--expose-gc', ...STEADY_V8] })
  try {
    const few = Number(await child.command('open', FEW))
    const many = Number(await child.command('open', MANY))
    return (many - few) / (MANY - FEW) / KIB
  } finally {
    await child.stop()
  }
}
