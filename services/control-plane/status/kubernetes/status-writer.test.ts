import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Connection, KubeClient, systemClock } from '@causeway/kube'
import { expect, it, onTestFinished } from 'vitest'
import type { ObservedStatus } from '../../sources/kubernetes/observed-status.ts'
import type { ObjectStatus } from '../object-status.ts'
import { KubernetesStatus } from './status-writer.ts'

const UID = 'f8a1c6de-0000-4000-8000-000000000001'

/** An API server with one object, which takes a write of the version that it has and gives it the next one that is said. */
async function anApi(versions: number[]) {
  const api = { version: versions.shift(), asked: [] as string[] }
  const server = createServer(async (request, response) => {
    const { metadata, status } = (await json(request)) as { metadata: { resourceVersion: string }; status: object }
    api.asked.push(metadata.resourceVersion)
    if (metadata.resourceVersion !== String(api.version)) {
      response.statusCode = 409
      response.end(
        JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Conflict', message: 'other', code: 409 }),
      )
      return
    }
    api.version = versions.shift()
    const stored = { name: 'edge', namespace: 'shop', uid: UID, resourceVersion: String(api.version) }
    response.end(JSON.stringify({ metadata: stored, status }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const connection: Connection = {
    serverUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    namespace: 'shop',
    requestOptions: async () => ({}),
    close: () => {},
  }
  return { api, client: new KubeClient({ connection, clock: systemClock(), fieldManager: 'test' }) }
}

const programmed = (message: string): ObjectStatus => ({
  kind: 'MeshRelay',
  name: 'shop/edge',
  uid: UID,
  conditions: [{ type: 'Programmed', status: 'True', observedGeneration: 1, reason: 'Programmed', message }],
  relays: [],
  relayCount: 0,
})

const seenAt = (version: number): ObservedStatus => ({
  uid: UID,
  resourceVersion: BigInt(version),
  digest: `as it was at ${version}`,
  transitions: new Map(),
})

it('is written again where the API server was restored and counts from further back', async () => {
  const { api, client } = await anApi([900, 1_000, 501])
  let seen = seenAt(900)
  let changed: ((kind: 'MeshRelay', name: string) => void) | undefined
  const writer = new KubernetesStatus({
    client,
    random: Math.random,
    observed: { get: () => seen, attach: (listener) => (changed = listener) },
    timing: { intervalMs: 10 },
  })
  onTestFinished(() => writer.stop())
  writer.write(programmed('before'))
  await expect.poll(() => api.version).toBe(1_000)

  api.version = 500
  seen = seenAt(500)
  changed?.('MeshRelay', 'shop/edge')
  await expect.poll(() => api.asked.at(-1), { timeout: 10_000 }).toBe('500')
})
