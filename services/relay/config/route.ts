import type { Route } from '@causeway/rpc'
import { number, optionalNumber } from './numbers.ts'
import { invalid } from './problem.ts'
import type { RouteConfig } from './relay-config.ts'

/** Throws ConfigProblem. */
export function readRoute(name: string, route: Route): RouteConfig {
  const { path, trustAnnotations, forwardHeaders, cors } = route
  return {
    name,
    path,
    target: targetOf(route),
    trustAnnotations,
    forwardHeaders,
    cors: cors && { allowedOrigins: cors.allowedOrigins, maxAgeSeconds: number(cors.maxAgeSeconds) },
    requestTimeoutMs: optionalNumber(route.requestTimeoutMs),
    maxBodyOctets: optionalNumber(route.maxBodyOctets),
    sessions: optionalNumber(route.sessions),
  }
}

function targetOf({ target }: Route): RouteConfig['target'] {
  switch (target.case) {
    case 'backend':
      return { backend: target.value }
    case 'peer':
      return { peer: target.value.peer, target: target.value.target }
    default:
      throw invalid('spec', 'this version knows no such target')
  }
}
