import { MAX_WIRE_NAME_OCTETS } from '../fields/names.ts'
import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshBackend } from './mesh-backend.ts'
import { serverRules } from './mesh-server-rules.ts'
import { isNeverAccepted } from './never-accepted.ts'

const DAY_MS = 86_400_000

export const backendRules: readonly Rule<MeshBackend>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    // CONTROL section 1: a longer object name needs meshName.
    id: 'WireNameLength',
    message: `meshName is required, because the object's name is longer than ${MAX_WIRE_NAME_OCTETS} octets`,
    fieldPath: 'spec.meshName',
    holds: ({ metadata, spec }) => spec.meshName !== undefined || metadata.name.length <= MAX_WIRE_NAME_OCTETS,
  },
  {
    id: 'PeersDistinct',
    message: 'names a peer twice',
    fieldPath: 'spec.peers',
    holds: ({ spec }) => allDistinct(spec.peers.map(({ name }) => name)),
  },
  {
    id: 'HeadersAcceptable',
    message:
      'names a header twice, or one that never comes from a client: credentials (authorization, cookie), host, ' +
      'accept and accept-encoding, content-*, last-event-id, mcp-method, mcp-protocol-version, mcp-session-id, hop-by-hop',
    fieldPath: 'spec.acceptHeaders',
    holds: ({ spec }) => allDistinct(spec.acceptHeaders) && !spec.acceptHeaders.some(isNeverAccepted),
  },
  ...serverRules,
  durationWithin('spec.limits.connectTimeout', ({ spec }) => spec.limits.connectTimeout, 1, DAY_MS, '1ms and 24h'),
  durationWithin(
    'spec.limits.firstHeaderTimeout',
    ({ spec }) => spec.limits.firstHeaderTimeout,
    1,
    DAY_MS,
    '1ms and 24h',
  ),
]
