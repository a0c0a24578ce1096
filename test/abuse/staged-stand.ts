import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTwoRelays, type TwoRelays } from '../fixtures/mesh/two-relays.ts'
import { type Fixture, startFixture } from '../fixtures/process/fixture.ts'
import { readLedger } from '../fixtures/servers/ledger-file.ts'

type Server = Fixture<{ readonly url: string; readonly port: number }>
export type Victim = 'edge' | 'tools' | 'server'

/** Two relays and the staged server: three processes, each of which can die and come back where it was. */
export class StagedStand {
  readonly mesh: TwoRelays
  readonly #folder: string
  #server: Server

  static async start(): Promise<StagedStand> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-staged-'))
    const server = await startServer(folder, 0)
    const mesh = await startTwoRelays({ backends: { staged: server.info.url } })
    return new StagedStand(folder, server, mesh)
  }

  private constructor(folder: string, server: Server, mesh: TwoRelays) {
    this.#folder = folder
    this.#server = server
    this.mesh = mesh
  }

  get url(): string {
    return this.mesh.endpoint('staged')
  }

  get server(): Server {
    return this.#server
  }

  /** How often the call with this key has run. */
  ran(key: string): number {
    return readLedger(join(this.#folder, 'ledger')).get(key) ?? 0
  }

  kill(victim: Victim): Promise<void> {
    return victim === 'server' ? this.#server.kill() : this.mesh[victim].kill()
  }

  async restart(victim: Victim): Promise<void> {
    if (victim === 'edge') await this.mesh.restartEdge()
    else if (victim === 'tools') await this.mesh.restartTools()
    else this.#server = await startServer(this.#folder, this.#server.info.port)
  }

  async stop(): Promise<void> {
    await this.mesh.stop()
    await this.#server.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function startServer(folder: string, port: number): Promise<Server> {
  return startFixture(new URL('staged-server.ts', import.meta.url), [join(folder, 'ledger'), String(port)])
}
