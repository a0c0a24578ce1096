import { MAX_WIRE_NAME_OCTETS } from '../fields/names.ts'
import { durationWithin } from './duration-rule.ts'
import { grantRules } from './grant-rule.ts'
import type { Rule } from './kind.ts'
import { serverRules } from './mesh-server-rules.ts'
import { CEL } from './never-accepted.ts'
import { workloadRules } from './workload-rules.ts'

export const backendRules: readonly Rule[] = [
  {
    // CONTROL section 1: a longer object name needs meshName.
    id: 'WireNameLength',
    message: `meshName is required, because the object's name is longer than ${MAX_WIRE_NAME_OCTETS} octets, as in meshName: search`,
    fieldPath: 'spec.meshName',
    cel: `has(self.spec.meshName) || self.metadata.name.size() <= ${MAX_WIRE_NAME_OCTETS}`,
    at: 'object',
  },
  {
    id: 'HeadersAcceptable',
    message:
      'names a header that never comes from a client: credentials (authorization, cookie), host, accept and ' +
      'accept-encoding, content-*, last-event-id, mcp-method, mcp-protocol-version, mcp-session-id, hop-by-hop',
    fieldPath: 'spec.acceptHeaders',
    cel: `!self.acceptHeaders.exists(name, ${CEL.isNeverAccepted})`,
  },
  ...serverRules,
  ...workloadRules,
  durationWithin('spec.limits.connectTimeout', '1ms', '24h'),
  durationWithin('spec.limits.firstHeaderTimeout', '1ms', '24h'),
  ...grantRules,
]
