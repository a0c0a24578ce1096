import { afterAll, beforeAll } from 'vitest'
import type { MeshSpecs } from '../fixtures/mesh/documents.ts'
import { type MeshHere, startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { modernCall } from '../integration/clients.ts'
import { LegacyClient, type Replied, replied } from './legacy-client.ts'
import { LegacyServer } from './legacy-server.ts'

/** Two relays and an odd server behind them, which has a second route as `other`, for all tests of a file. */
export interface World {
  readonly server: LegacyServer
  readonly mesh: MeshHere
  readonly url: string
  /** With a session of its own; ends with the file. */
  client(version?: string): Promise<LegacyClient>
  /** One modern request for a tool, answered whole. */
  modern(name: string, id: string, args?: string): Promise<Replied>
}

export function sharedWorld(specs: Omit<MeshSpecs, 'backends'> = {}): World {
  let server: LegacyServer
  let mesh: MeshHere
  const clients: LegacyClient[] = []
  beforeAll(async () => {
    server = await LegacyServer.open()
    mesh = await startMeshHere({ backends: { odd: server.url, other: server.url }, ...specs })
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await mesh.stop()
    await server.close()
  })
  const client = async (version?: string) => {
    const one = await LegacyClient.connect(mesh.endpoint('odd'), version)
    clients.push(one)
    return one
  }
  return {
    get server() {
      return server
    },
    get mesh() {
      return mesh
    },
    get url() {
      return mesh.endpoint('odd')
    },
    client,
    async modern(name, id, args = '{}') {
      const { body, headers } = modernCall(name, {}, { raw: id })
      const { http, path } = await client()
      return replied(await http.post(body.replace('"arguments":{}', `"arguments":${args}`), headers, path))
    },
  }
}

/** Nothing may be left open by what a file did. */
export function openExchanges({ edge, tools }: MeshHere): number {
  return edge.metrics.total('causeway_exchanges_open') + tools.metrics.total('causeway_exchanges_open')
}
