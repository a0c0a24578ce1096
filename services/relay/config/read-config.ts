import {
  type Closure,
  durationMs,
  type MeshBackend,
  type MeshRelay,
  type MeshRoute,
  wireNameOf,
} from '@causeway/mesh-api'
import type { ListenTlsMode } from '@causeway/npamp/transports'
import { RelayStartError } from '../contract.ts'
import { qualified } from './names.ts'
import { peerConfig } from './peers.ts'
import { readPemFile } from './read-file.ts'
import type { BackendConfig, NpampListenerConfig, RelayConfig, RelayLimits, RouteConfig } from './relay-config.ts'

/** Resources to tables. Reads the certificate files that they name; throws RelayStartError. */
export async function readConfig(closure: Closure): Promise<RelayConfig> {
  const { relay } = closure
  const { listeners, replica } = relay.spec
  return {
    name: qualified(relay.metadata),
    replica,
    npamp: await npampListener(relay),
    mcp: listeners.mcp,
    admin: listeners.admin,
    limits: limitsOf(relay),
    peers: await Promise.all(closure.peers.map((peer) => peerConfig(peer, closure))),
    backends: closure.backends.map(backendConfig),
    routes: closure.routes.map(routeConfig),
  }
}

async function npampListener({ spec }: MeshRelay): Promise<NpampListenerConfig | undefined> {
  const { npamp } = spec.listeners
  if (npamp === undefined) return undefined
  return { host: npamp.host, port: npamp.port, tls: await listenTlsMode(npamp.tls) }
}

async function listenTlsMode(tls: NonNullable<MeshRelay['spec']['listeners']['npamp']>['tls']): Promise<ListenTlsMode> {
  if (tls.mode === 'pinned') return { mode: 'pinned' }
  return {
    mode: 'ca',
    cert: await readPemFile(required(tls.certFile, 'certFile'), `${NPAMP_TLS}.certFile`),
    key: await readPemFile(required(tls.keyFile, 'keyFile'), `${NPAMP_TLS}.keyFile`),
  }
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
    idleSessionMs: durationMs(limits.idleSession),
    drainMs: durationMs(limits.drain),
    halfOpenHandshakes: limits.halfOpenHandshakes,
    halfOpenPerSource: limits.halfOpenPerSource,
  }
}

function backendConfig(backend: MeshBackend): BackendConfig {
  const { metadata, spec } = backend
  const { connectTimeout, firstHeaderTimeout, maxConcurrency } = spec.limits
  return {
    name: qualified(metadata),
    wireName: wireNameOf(backend),
    url: new URL(spec.mcp.url),
    peers: new Set(spec.peers.map(({ name }) => qualified({ namespace: metadata.namespace, name }))),
    acceptHeaders: spec.acceptHeaders,
    connectTimeoutMs: optionalMs(connectTimeout),
    firstHeaderTimeoutMs: optionalMs(firstHeaderTimeout),
    maxConcurrency,
  }
}

function routeConfig({ metadata, spec }: MeshRoute): RouteConfig {
  const { backendRef, peer } = spec.transparent.target
  const { namespace } = metadata
  const name = qualified(metadata)
  const target =
    backendRef !== undefined
      ? { backend: qualified({ namespace, name: backendRef.name }) }
      : peer && { peer: qualified({ namespace, name: peer.name }), target: peer.target }
  if (target === undefined)
    throw new RelayStartError('CONFIGURATION', 'spec.transparent.target', `route ${name} has no target`)
  return {
    name,
    path: spec.path,
    target,
    requestTimeoutMs: optionalMs(spec.limits.requestTimeout),
    maxBodyOctets: spec.limits.maxBodyBytes,
  }
}

function optionalMs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : durationMs(duration)
}
