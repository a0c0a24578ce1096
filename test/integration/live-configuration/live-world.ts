import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { createRelay, type Relay } from '@causeway/relay'
import { createLogger } from '@causeway/telemetry'
import type { HeldResource, Refusal, ResourceId } from '../../../services/relay/config-store/contract.ts'
import { HttpClient } from '../../fixtures/edge/http-client.ts'
import { file, relaySettings } from './messages.ts'

const ANY_PORT = { host: '127.0.0.1', port: 0 }

/** Relays in this process, told what to be by the test as a control plane would. */
export class LiveWorld {
  readonly folder: string
  readonly lines: Record<string, unknown>[] = []
  readonly #relays: Relay[] = []
  readonly #clients: HttpClient[] = []

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<LiveWorld> {
    return new LiveWorld(await mkdtemp(join(tmpdir(), 'causeway-live-')))
  }

  /** PeerHandle of a new key in `NAME.key`. */
  async newKey(name: string): Promise<string> {
    return (await createIdentityFile(this.keyFile(name), { overwrite: true })).peerHandle
  }

  keyFile(name: string): string {
    return join(this.folder, `${name}.key`)
  }

  relay(name: string): Relay {
    const write = (line: string): void => void this.lines.push(JSON.parse(line) as Record<string, unknown>)
    const logger = createLogger({ level: 'info', fields: { relay: name }, destination: { write } })
    const relay = createRelay({
      name: `default/${name}`,
      logger,
      mounts: this.folder,
      stateFolder: join(this.folder, name),
    })
    this.#relays.push(relay)
    return relay
  }

  /** Settings of a relay with both listeners on ports that the system chooses. */
  settings(name: string, changes: Parameters<typeof relaySettings>[1] = {}): HeldResource {
    const identity = { key: file(this.keyFile(name)) }
    return relaySettings(`default/${name}`, { identity, replica: name, npamp: ANY_PORT, mcp: ANY_PORT, ...changes })
  }

  http(relay: Relay): HttpClient {
    const client = new HttpClient(portOf(relay, 'mcp'))
    this.#clients.push(client)
    return client
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close()
    await Promise.all(this.#relays.map((relay) => relay.stop()))
    await rm(this.folder, { recursive: true, force: true })
  }
}

export function portOf({ addresses }: Pick<Relay, 'addresses'>, listener: 'npamp' | 'mcp' | 'admin'): number {
  const address = addresses[listener]
  if (address === undefined) throw new Error(`there is no ${listener} listener`)
  return address.port
}

export function addressOf(relay: Pick<Relay, 'addresses'>): { host: string; port: number } {
  return { host: '127.0.0.1', port: portOf(relay, 'npamp') }
}

/** Puts resources into force, and expects that all of them are. */
export async function inForce(relay: Relay, upserts: HeldResource[], removals: ResourceId[] = []): Promise<void> {
  const refusals: readonly Refusal[] = await relay.apply({ upserts, removals })
  if (refusals.length > 0) throw new Error(`refused: ${JSON.stringify(refusals)}`)
}
