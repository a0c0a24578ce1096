import { until } from '../cluster/wait.ts'
import { type OperatorStand, SYSTEM } from './operator-stand.ts'

const OPERATOR = `system:serviceaccount:${SYSTEM}:causeway-operator`
const RELAYS = 20
const BACKENDS = 480

/** Relays `relay-0` and so on, and of each number a backend and a route to it, `/0` and so on: nearly a thousand. */
export function thousandObjects(namespace: string): string {
  const objects: object[] = []
  const object = (kind: string, name: string, spec: object) =>
    objects.push({ apiVersion: 'mesh.causeway.dev/v1alpha1', kind, metadata: { name, namespace }, spec })
  for (let relay = 0; relay < RELAYS; relay++)
    object('MeshRelay', `relay-${relay}`, { listeners: { mcp: { host: '0.0.0.0', port: 8080 } } })
  for (let at = 0; at < BACKENDS; at++) {
    const relayRefs = [{ name: `relay-${at % RELAYS}` }]
    object('MeshBackend', `backend-${at}`, { relayRefs, mcp: { url: 'http://tools:3000/mcp' } })
    const target = { backendRef: { name: `backend-${at}` } }
    object('MeshRoute', `route-${at}`, { relayRefs, path: `/${at}`, transparent: { target } })
  }
  return objects.map((one) => JSON.stringify(one)).join('\n---\n')
}

/** What an operator has written so far, by the API server's audit log: verb, path and code; neither leases nor events. */
export async function writesOf({ cluster }: OperatorStand): Promise<readonly string[]> {
  return (await cluster.auditEvents())
    .filter(({ user }) => user === OPERATOR)
    .filter(
      ({ verb, resource }) => !['get', 'list', 'watch'].includes(verb) && !['leases', 'events'].includes(resource),
    )
    .map(({ verb, requestUri, code }) => `${verb} ${requestUri.split('?')[0]} ${code}`)
}

/** Resolves with the writes since there were `before` of them, once there was none for two seconds. */
export async function settledWrites(stand: OperatorStand, before: number): Promise<readonly string[]> {
  let last = -1
  await until(
    'nothing is written any more',
    async () => {
      const { length } = await writesOf(stand)
      const isQuiet = length === last
      last = length
      return isQuiet
    },
    { intervalMs: 2_000, timeoutMs: 180_000 },
  )
  return (await writesOf(stand)).slice(before)
}
