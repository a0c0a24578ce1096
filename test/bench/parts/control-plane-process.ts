import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromServiceAccount, KubeClient, systemClock } from '@causeway/kube'
import { FIELD_MANAGERS } from '@causeway/mesh-api'
import { readTls, startGrpcServer } from '@causeway/rpc'
import { createLogger, createMetrics } from '@causeway/telemetry'
import { ControlPlane } from '../../../services/control-plane/control-plane.ts'
import { keepHeapSmall } from '../../../services/control-plane/small-heap.ts'
import { openKubernetesSource } from '../../../services/control-plane/sources/kubernetes/open-source.ts'
import { STATUS_TIMING } from '../../../services/control-plane/status/aggregator.ts'
import { KubernetesStatus } from '../../../services/control-plane/status/kubernetes/status-writer.ts'
import { TRUST_DOMAIN } from '../../fixtures/control/test-authority.ts'
import { serveParent } from '../../fixtures/process/child.ts'

/**
 * A control plane of a cluster that leads, as its image has it. Arguments: host and port of the API server, the folder of a
 * service account, the namespace that it watches, and a folder with tls.crt, tls.key and ca.crt, without which it serves no
 * relays.
 */
const [host = '', port = '', folder = '', namespace = '', tlsFolder] = process.argv.slice(2)
keepHeapSmall()
const clock = systemClock()
const connection = await fromServiceAccount({ clock, host, port, folder })
const client = new KubeClient({ connection, clock, fieldManager: FIELD_MANAGERS.controlPlane })
const plane = new ControlPlane({
  place: 'cluster',
  installation: 'bench',
  installationNamespace: namespace,
  label: (relay, ordinal) => `${relay}-${ordinal}`,
  clock,
  random: Math.random,
  logger: createLogger({ level: 'silent' }),
  metrics: createMetrics(),
})
const source = plane.readFrom((observer) =>
  openKubernetesSource({ client, watchNamespaces: [namespace], observer, random: Math.random }),
)
plane.lead(new KubernetesStatus({ client, random: Math.random, observed: source.statuses }), STATUS_TIMING)

serveParent(
  { pid: process.pid, address: tlsFolder === undefined ? undefined : await serve(tlsFolder) },
  {
    objects: () => (plane.ready().ok ? plane.configuration.objects.size : 0),
    relist: () => source.relist({ consistent: true, signal: AbortSignal.timeout(120_000) }),
    peakKib: () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]),
  },
)

/** Resolves with host:port for relays. */
async function serve(material: string): Promise<string> {
  const file = (name: string): string => join(material, name)
  const tls = await readTls({ certificateChain: file('tls.crt'), key: file('tls.key'), authorities: file('ca.crt') })
  const config = { trustDomain: TRUST_DOMAIN, handler: plane.serve }
  const { address } = await startGrpcServer({ host: '127.0.0.1', port: 0, tls, config })
  return `${address.host}:${address.port}`
}
