import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOOPBACK, onRelay, resource, yamlOf } from '../../fixtures/mesh/documents.ts'
import { startRelayProcess } from '../../fixtures/mesh/relay-process.ts'
import { startFixture } from '../../fixtures/process/fixture.ts'
import type { Bench } from '../row.ts'
import { median, medianInterval } from '../stats.ts'

const FEW = 200
const MANY = 1_200
/** As for the memory of associations: what V8 does once per process is not what a session holds. */
const STEADY_V8 = ['--max-semi-space-size=1', '--no-flush-bytecode']

export const sessions: Bench = {
  name: 'sessions',
  about: `resident memory of one relay for each open legacy session with its GET stream, ${FEW} to ${MANY} of them`,
  async run({ rounds, note }) {
    const found: number[] = []
    for (let round = 0; round < rounds; round++) {
      found.push(await kibPerSession())
      note(`round ${round + 1} of ${rounds}: ${found.at(-1)?.toFixed(1)} KiB`)
    }
    return [
      {
        name: 'memory of an open legacy session with a GET stream',
        figure: medianInterval(found),
        unit: 'KiB',
        bar: { atMost: 96 },
        absolute: { 'session KiB': median(found) },
      },
    ]
  },
}

async function kibPerSession(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-sessions-'))
  const clients = await startFixture<{ url: string }>(new URL('../parts/session-holders.ts', import.meta.url))
  const file = join(folder, 'relay.yaml')
  await writeFile(file, documents(clients.info.url))
  const one = await startRelayProcess([file], 'only', 'warn', () => {}, STEADY_V8)
  try {
    const { host, port } = one.addresses.mcp ?? { host: '', port: 0 }
    const kibWith = async (count: number) => {
      await clients.command('open', { url: `http://${host}:${port}/server/mcp`, count })
      return residentKib(one.pid)
    }
    const few = await kibWith(FEW)
    return ((await kibWith(MANY)) - few) / (MANY - FEW)
  } finally {
    await clients.stop()
    await one.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function documents(url: string): string {
  return yamlOf([
    resource('MeshRelay', 'only', { listeners: { mcp: LOOPBACK } }),
    resource('MeshBackend', 'server', { ...onRelay('only'), mcp: { url } }),
    resource('MeshRoute', 'server', {
      ...onRelay('only'),
      path: '/server/mcp',
      transparent: { target: { backendRef: { name: 'server' } } },
    }),
  ])
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
