import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshRoute } from './mesh-route.ts'
import { CEL, holdsCredentials, isOfOneConnection, isOfTheRelay } from './never-accepted.ts'

export const routeRules: readonly Rule<MeshRoute>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    cluster: { listType: 'map' },
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    id: 'ExactlyOneTarget',
    message: 'exactly one of backendRef and peer must be set',
    fieldPath: 'spec.transparent.target',
    cluster: { cel: 'has(self.transparent.target.backendRef) != has(self.transparent.target.peer)' },
    holds: ({ spec: { transparent } }) =>
      (transparent.target.backendRef !== undefined) !== (transparent.target.peer !== undefined),
  },
  {
    // A client, a browser above all, normalises these away before it asks.
    id: 'PathWithoutDots',
    message: 'must not have the segments "." or ".."',
    fieldPath: 'spec.path',
    cluster: { cel: "!self.path.matches('/[.][.]?(/|$)')" },
    holds: ({ spec }) => spec.path.split('/').every((segment) => segment !== '.' && segment !== '..'),
  },
  {
    id: 'ForwardHeadersDistinct',
    message: 'names a header twice',
    fieldPath: 'spec.forwardHeaders',
    cluster: { listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.forwardHeaders),
  },
  {
    // CARRIAGE section 1, and digest 10 section 1: passing the client's token on upstream is forbidden.
    id: 'ForwardsNoCredentials',
    message:
      "authorization, cookie and proxy-* are the client's credentials for this relay, and never go to another server; " +
      'give the backend its own with spec.mcp.headers of its MeshBackend',
    fieldPath: 'spec.forwardHeaders',
    cluster: { cel: `!self.forwardHeaders.exists(name, ${CEL.holdsCredentials})` },
    holds: ({ spec }) => !spec.forwardHeaders.some(holdsCredentials),
  },
  {
    id: 'ForwardsNoFraming',
    message:
      'host, content-*, connection, expect, http2-settings, keep-alive, te, trailer, transfer-encoding and upgrade ' +
      'belong to one connection or one body, and mean nothing on another',
    fieldPath: 'spec.forwardHeaders',
    cluster: { cel: `!self.forwardHeaders.exists(name, ${CEL.isOfOneConnection} && !(${CEL.holdsCredentials}))` },
    holds: ({ spec }) => !spec.forwardHeaders.some((name) => isOfOneConnection(name) && !holdsCredentials(name)),
  },
  {
    id: 'ForwardsNothingOfMcp',
    message:
      'mcp-*, accept, accept-encoding and last-event-id are written by the relays themselves, and mcp-name and ' +
      'mcp-param-* always cross; leave them out',
    fieldPath: 'spec.forwardHeaders',
    cluster: { cel: `!self.forwardHeaders.exists(name, ${CEL.isOfTheRelay} || name.startsWith('mcp-'))` },
    holds: ({ spec }) => !spec.forwardHeaders.some((name) => isOfTheRelay(name) || name.startsWith('mcp-')),
  },
  {
    id: 'CorsOriginsDistinct',
    message: 'names an origin twice',
    fieldPath: 'spec.cors.allowedOrigins',
    cluster: { listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.cors?.allowedOrigins ?? []),
  },
  durationWithin('spec.cors.maxAge', ({ spec }) => spec.cors?.maxAge, '0s', '24h'),
  durationWithin('spec.limits.requestTimeout', ({ spec }) => spec.limits.requestTimeout, '1ms', '24h'),
]
