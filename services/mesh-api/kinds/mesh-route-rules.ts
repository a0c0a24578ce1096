import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshRoute } from './mesh-route.ts'

const DAY_MS = 86_400_000

export const routeRules: readonly Rule<MeshRoute>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    id: 'ExactlyOneTarget',
    message: 'exactly one of backendRef and peer must be set',
    fieldPath: 'spec.transparent.target',
    holds: ({ spec: { transparent } }) =>
      (transparent.target.backendRef !== undefined) !== (transparent.target.peer !== undefined),
  },
  {
    // A client, a browser above all, normalises these away before it asks.
    id: 'PathWithoutDots',
    message: 'must not have the segments "." or ".."',
    fieldPath: 'spec.path',
    holds: ({ spec }) => spec.path.split('/').every((segment) => segment !== '.' && segment !== '..'),
  },
  durationWithin('spec.limits.requestTimeout', ({ spec }) => spec.limits.requestTimeout, 1, DAY_MS, '1ms and 24h'),
]
