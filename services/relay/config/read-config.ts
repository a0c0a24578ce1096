import { type Closure, durationMs, type MeshRelay, notImplemented } from '@causeway/mesh-api'
import type { ListenTlsMode } from '@causeway/npamp/transports'
import { RelayStartError } from '../contract.ts'
import { backendConfig } from './backends.ts'
import { readKeyPair } from './certificates.ts'
import type { Environment } from './headers.ts'
import { mcpListener } from './mcp-listener.ts'
import { qualified } from './names.ts'
import { peerConfig } from './peers.ts'
import type { NpampListenerConfig, RelayConfig, RelayLimits } from './relay-config.ts'
import { routeConfig } from './routes.ts'

/**
 * Resources to tables. Reads the certificates and secrets that they name, from files and from `environment`; throws
 * RelayStartError.
 */
export async function readConfig(closure: Closure, environment: Environment): Promise<RelayConfig> {
  const { relay } = closure
  refuseNotImplemented(closure)
  const { listeners, replica } = relay.spec
  return {
    name: qualified(relay.metadata),
    replica,
    npamp: await npampListener(relay),
    mcp: listeners.mcp && (await mcpListener(listeners.mcp)),
    admin: listeners.admin,
    limits: limitsOf(relay),
    peers: await Promise.all(closure.peers.map((peer) => peerConfig(peer, closure))),
    backends: await Promise.all(closure.backends.map((backend) => backendConfig(backend, environment))),
    routes: closure.routes.map(routeConfig),
  }
}

/** What the kinds have and this version does not do is refused, never left out in silence. */
function refuseNotImplemented({ relay, peers, backends, routes }: Closure): void {
  for (const resource of [relay, ...peers, ...backends, ...routes]) {
    const [fieldPath] = notImplemented(resource)
    if (fieldPath === undefined) continue
    const object = `${resource.kind} ${qualified(resource.metadata)}`
    throw new RelayStartError('CONFIGURATION', `${object}: ${fieldPath}`, `${fieldPath} is not implemented yet`)
  }
}

async function npampListener({ spec }: MeshRelay): Promise<NpampListenerConfig | undefined> {
  const { npamp } = spec.listeners
  if (npamp === undefined) return undefined
  return { host: npamp.host, port: npamp.port, tls: await listenTlsMode(npamp.tls) }
}

async function listenTlsMode(tls: NonNullable<MeshRelay['spec']['listeners']['npamp']>['tls']): Promise<ListenTlsMode> {
  if (tls.mode === 'pinned') return { mode: 'pinned' }
  const files = { certFile: required(tls.certFile, 'certFile'), keyFile: required(tls.keyFile, 'keyFile') }
  return { mode: 'ca', ...(await readKeyPair(files, NPAMP_TLS)) }
}

const NPAMP_TLS = 'spec.listeners.npamp.tls'

function required(path: string | undefined, field: string): string {
  if (path !== undefined) return path
  throw new RelayStartError('CONFIGURATION', `${NPAMP_TLS}.${field}`, `${field} is required with mode ca`)
}

function limitsOf({ spec: { limits } }: MeshRelay): RelayLimits {
  return {
    maxBodyOctets: limits.maxBodyBytes,
    maxHeaderOctets: limits.maxHeaderBytes,
    maxReplyOctets: limits.maxReplyBytes,
    sessionsPerRoute: limits.sessionsPerRoute,
    sessionsPerPrincipal: limits.sessionsPerPrincipal,
    streamsPerSession: limits.streamsPerSession,
    eventStoreEvents: limits.eventStoreEvents,
    eventStoreOctets: limits.eventStoreBytes,
    eventStoreTotalOctets: limits.eventStoreTotalBytes,
    idleSessionMs: durationMs(limits.idleSession),
    drainMs: durationMs(limits.drain),
    halfOpenHandshakes: limits.halfOpenHandshakes,
    halfOpenPerSource: limits.halfOpenPerSource,
  }
}
