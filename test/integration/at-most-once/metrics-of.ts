import type { ListenAddress } from '@causeway/relay'
import { parsePrometheus } from '../../../services/telemetry/fixtures/parse-prometheus.ts'
import type { RelayProcess } from '../../fixtures/mesh/relay-process.ts'

/** What a relay says of itself at its admin listener. */
export interface Numbers {
  /** Sum of the series of this metric that have these labels; 0 when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number
  /** Value by one label, of the series that are not 0. */
  by(name: string, label: string, labels?: Readonly<Record<string, string>>): Readonly<Record<string, number>>
}

export async function numbersOf(relay: RelayProcess): Promise<Numbers> {
  const { samples } = parsePrometheus((await admin(relay, '/metrics')).body)
  const series = (name: string, labels: Readonly<Record<string, string>>) =>
    samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
  return {
    sum: (name, labels = {}) => series(name, labels).reduce((sum, { value }) => sum + value, 0),
    by(name, label, labels = {}) {
      const sums: Record<string, number> = {}
      for (const sample of series(name, labels)) {
        const key = sample.labels[label] ?? ''
        if (sample.value !== 0) sums[key] = (sums[key] ?? 0) + sample.value
      }
      return sums
    },
  }
}

export async function admin(relay: RelayProcess, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://${addressOf(relay.addresses.admin)}${path}`, {
    headers: { connection: 'close' },
  })
  return { status: response.status, body: await response.text() }
}

/** What is open at a relay, by side; empty when nothing is. */
export async function openExchanges(relay: RelayProcess): Promise<Readonly<Record<string, number>>> {
  return (await numbersOf(relay)).by('causeway_exchanges_open', 'side')
}

function addressOf(address: ListenAddress | undefined): string {
  if (address === undefined) throw new Error('the relay opened no such listener')
  return `${address.host}:${address.port}`
}
