import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTwoRelays, type TwoRelays, type TwoRelaysOptions } from '../../fixtures/mesh/two-relays.ts'
import { type Fixture, startFixture } from '../../fixtures/process/fixture.ts'
import { readLedger } from '../../fixtures/servers/ledger-file.ts'
import { eventually } from './in-time.ts'
import { Link } from './link.ts'
import { numbersOf, openExchanges } from './metrics-of.ts'

type Ledger = Fixture<{ readonly url: string; readonly port: number }>

/** The ledger server behind relay `tools`, relay `edge` before it, and the link between them: all that can break. */
export interface Stand {
  readonly mesh: TwoRelays
  readonly link: Link
  readonly backend: Ledger
  /** URL of the route to the ledger server. */
  readonly url: string
  /** How often the call with this key has run. */
  ran(key: string): number
  /** Starts the ledger server again at its old address, after it was killed. Its ledger goes on. */
  restartBackend(): Promise<void>
  /** Open sessions, by where they are counted. */
  sessions(): Promise<Readonly<Record<string, number>>>
  /** Resolves when both relays say that nothing is open. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export type StandOptions = Omit<TwoRelaysOptions, 'backends' | 'link'>

export async function startStand(options: StandOptions = {}): Promise<Stand> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-ledger-'))
  const file = join(folder, 'ledger')
  const startLedger = (port = 0): Promise<Ledger> =>
    startFixture(new URL('../../fixtures/servers/ledger.ts', import.meta.url), [file, String(port)])
  let backend = await startLedger()
  const { port } = backend.info
  const link = await Link.open()
  const stopAround = async (): Promise<void> => {
    await Promise.all([link.close(), backend.stop()])
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const mesh = await startTwoRelays({
      ...options,
      backends: { ledger: backend.info.url },
      link: async (tools) => {
        link.target = tools
        return link.address
      },
      // One, so that a test knows which connection carries what.
      peerSpec: { associations: 1, ...options.peerSpec },
    })
    return {
      mesh,
      link,
      get backend() {
        return backend
      },
      url: mesh.endpoint('ledger'),
      ran: (key) => readLedger(file).get(key) ?? 0,
      async restartBackend() {
        backend = await startLedger(port)
      },
      async sessions() {
        const [edge, tools] = await Promise.all([numbersOf(mesh.edge), numbersOf(mesh.tools)])
        const name = 'causeway_sessions_open'
        return { ...edge.by(name, 'side'), ...tools.by(name, 'side') }
      },
      async idle() {
        for (const relay of [mesh.edge, mesh.tools]) {
          await eventually('nothing is open', async () => Object.keys(await openExchanges(relay)).length === 0)
        }
      },
      async stop() {
        await mesh.stop()
        await stopAround()
      },
    }
  } catch (error) {
    await stopAround()
    throw error
  }
}
