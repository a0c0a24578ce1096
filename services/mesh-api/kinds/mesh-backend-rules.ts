import { MAX_WIRE_NAME_OCTETS } from '../fields/names.ts'
import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshBackend } from './mesh-backend.ts'
import { serverRules } from './mesh-server-rules.ts'
import { CEL, isNeverAccepted } from './never-accepted.ts'

export const backendRules: readonly Rule<MeshBackend>[] = [
  {
    id: 'RelayRefsDistinct',
    message: 'names a relay twice',
    fieldPath: 'spec.relayRefs',
    cluster: { listType: 'map' },
    holds: ({ spec }) => allDistinct(spec.relayRefs.map(({ name }) => name)),
  },
  {
    // CONTROL section 1: a longer object name needs meshName.
    id: 'WireNameLength',
    message: `meshName is required, because the object's name is longer than ${MAX_WIRE_NAME_OCTETS} octets`,
    fieldPath: 'spec.meshName',
    cluster: {
      cel: `has(self.spec.meshName) || self.metadata.name.size() <= ${MAX_WIRE_NAME_OCTETS}`,
      self: 'object',
    },
    holds: ({ metadata, spec }) => spec.meshName !== undefined || metadata.name.length <= MAX_WIRE_NAME_OCTETS,
  },
  {
    id: 'PeersDistinct',
    message: 'names a peer twice',
    fieldPath: 'spec.peers',
    cluster: { listType: 'map' },
    holds: ({ spec }) => allDistinct(spec.peers.map(({ name }) => name)),
  },
  {
    id: 'HeadersAcceptable',
    message:
      'names a header twice, or one that never comes from a client: credentials (authorization, cookie), host, ' +
      'accept and accept-encoding, content-*, last-event-id, mcp-method, mcp-protocol-version, mcp-session-id, hop-by-hop',
    fieldPath: 'spec.acceptHeaders',
    cluster: { cel: `!self.acceptHeaders.exists(name, ${CEL.isNeverAccepted})`, listType: 'set' },
    holds: ({ spec }) => allDistinct(spec.acceptHeaders) && !spec.acceptHeaders.some(isNeverAccepted),
  },
  ...serverRules,
  durationWithin('spec.limits.connectTimeout', ({ spec }) => spec.limits.connectTimeout, '1ms', '24h'),
  durationWithin('spec.limits.firstHeaderTimeout', ({ spec }) => spec.limits.firstHeaderTimeout, '1ms', '24h'),
]
