import { MAX_WIRE_NAME_OCTETS } from '../fields/names.ts'
import { allDistinct } from './distinct.ts'
import { durationWithin } from './duration-rule.ts'
import type { Rule } from './kind.ts'
import type { MeshBackend } from './mesh-backend.ts'

const DAY_MS = 86_400_000

/** CARRIAGE section 1: names that a service parameter never sets, whatever a backend lists. */
const NEVER_ACCEPTED: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'cookie',
  'cookie2',
  'expect',
  'host',
  'keep-alive',
  'mcp-session-id',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

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
      'names a header twice, or one that never crosses: authorization, cookie, host, content-*, mcp-session-id, hop-by-hop',
    fieldPath: 'spec.acceptHeaders',
    holds: ({ spec }) =>
      allDistinct(spec.acceptHeaders) &&
      spec.acceptHeaders.every((name) => !NEVER_ACCEPTED.has(name) && !name.startsWith('content-')),
  },
  durationWithin('spec.limits.connectTimeout', ({ spec }) => spec.limits.connectTimeout, 1, DAY_MS, '1ms and 24h'),
  durationWithin(
    'spec.limits.firstHeaderTimeout',
    ({ spec }) => spec.limits.firstHeaderTimeout,
    1,
    DAY_MS,
    '1ms and 24h',
  ),
]
