import { startMeshHere } from '../../fixtures/mesh/relays-here.ts'
import type { HttpExchange } from '../../fixtures/recorder/http-transcript.ts'
import { exchangesOf } from '../../fixtures/recorder/http-transcript.ts'
import { OctetTap } from '../../fixtures/recorder/octet-tap.ts'
import { closed, stopped } from '../clean-up.ts'

/** What was said on both sides of the mesh, or of nothing. */
export interface Run {
  /** Between the client and whoever it calls. */
  readonly north: readonly HttpExchange[]
  /** Between the server and whoever calls it. */
  readonly south: readonly HttpExchange[]
}

/** Lets `client` loose on the server at `url` itself. */
export async function runDirect(url: string, client: (url: string) => Promise<void>): Promise<Run> {
  const tap = await closed(OctetTap.open(url))
  await client(tap.through(url))
  const exchanges = exchangesIn(tap)
  return { north: exchanges, south: exchanges }
}

/** The same through two relays. */
export async function runThroughMesh(url: string, client: (url: string) => Promise<void>): Promise<Run> {
  const southTap = await closed(OctetTap.open(url))
  const mesh = await stopped(startMeshHere({ backends: { server: southTap.through(url) } }))
  const endpoint = mesh.endpoint('server')
  const northTap = await closed(OctetTap.open(endpoint))
  await client(northTap.through(endpoint))
  await mesh.stop()
  return { north: exchangesIn(northTap), south: exchangesIn(southTap) }
}

function exchangesIn(tap: OctetTap): HttpExchange[] {
  return tap.connections.flatMap(exchangesOf).sort((one, other) => one.order - other.order)
}
