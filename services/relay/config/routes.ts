import { durationMs, type MeshRoute } from '@causeway/mesh-api'
import { RelayStartError } from '../contract.ts'
import { qualified } from './names.ts'
import type { RouteConfig } from './relay-config.ts'

/** Throws RelayStartError. */
export function routeConfig({ metadata, spec }: MeshRoute): RouteConfig {
  const { namespace } = metadata
  const name = qualified(metadata)
  const { backendRef, peer } = spec.transparent?.target ?? {}
  const target =
    backendRef !== undefined
      ? { backend: qualified({ namespace, ...backendRef }) }
      : peer && { peer: qualified({ namespace, ...peer }), target: peer.target }
  if (spec.transparent === undefined || target === undefined)
    throw new RelayStartError('CONFIGURATION', 'spec.transparent.target', `route ${name} has no target`)
  return {
    name,
    path: spec.path,
    target,
    trustAnnotations: spec.transparent.trustAnnotations,
    forwardHeaders: spec.forwardHeaders,
    cors: spec.cors && {
      allowedOrigins: spec.cors.allowedOrigins,
      maxAgeSeconds: Math.floor(durationMs(spec.cors.maxAge) / 1000),
    },
    requestTimeoutMs: spec.limits.requestTimeout === undefined ? undefined : durationMs(spec.limits.requestTimeout),
    maxBodyOctets: spec.limits.maxBodyBytes,
    sessions: spec.limits.sessions,
  }
}
