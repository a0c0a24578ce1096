import { create } from '@bufbuild/protobuf'
import { type Route, RouteSchema } from '@causeway/rpc'
import type { RouteIr } from '../ir/route.ts'
import { given, same } from './given.ts'

export function translateRoute(route: RouteIr): Route {
  const { target } = route
  return create(RouteSchema, {
    path: route.path,
    target:
      'backend' in target
        ? { case: 'backend', value: target.backend }
        : { case: 'peer', value: { peer: target.peer, ...given('target', target.target, same) } },
    trustAnnotations: route.trustAnnotations,
    forwardHeaders: [...route.forwardHeaders],
    ...given('cors', route.cors, ({ allowedOrigins, maxAgeSeconds }) => ({
      allowedOrigins: [...allowedOrigins],
      maxAgeSeconds: BigInt(maxAgeSeconds),
    })),
    ...given('requestTimeoutMs', route.requestTimeoutMs, BigInt),
    ...given('maxBodyOctets', route.maxBodyOctets, BigInt),
    ...given('sessions', route.sessions, BigInt),
  })
}
