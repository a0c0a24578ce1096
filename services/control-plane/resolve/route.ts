import { durationMs, type MeshRoute } from '@causeway/mesh-api'
import type { RouteIr, RouteTargetIr } from '../ir/route.ts'
import { referred } from './lookup.ts'
import { notImplementedYet } from './withheld.ts'

/** Throws Withheld. */
export function resolveRoute(route: MeshRoute): RouteIr {
  const { spec } = route
  return {
    kind: 'route',
    path: spec.path,
    target: targetOf(route),
    trustAnnotations: spec.transparent?.trustAnnotations ?? true,
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

function targetOf({ metadata: { namespace }, spec: { transparent } }: MeshRoute): RouteTargetIr {
  const { backendRef, peer } = transparent?.target ?? {}
  if (backendRef !== undefined) return { backend: referred(namespace, backendRef) }
  if (peer !== undefined) return { peer: referred(namespace, peer), target: peer.target }
  throw notImplementedYet('spec.terminating')
}
