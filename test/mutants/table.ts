import { ASSOCIATION_MUTANTS } from './association.ts'
import { BRIDGE_MUTANTS } from './bridge.ts'
import { CBOR_AND_NAME_MUTANTS } from './cbor-and-names.ts'
import { CONTROL_PLANE_MUTANTS } from './control-plane.ts'
import { HELLO_MUTANTS } from './hello.ts'
import { KEY_RENEWAL_MUTANTS } from './key-renewal.ts'
import { KEYS_AND_HANDSHAKE_MUTANTS } from './keys-and-handshake.ts'
import { LIVE_RELAY_MUTANTS } from './live-relay.ts'
import { MCP_MUTANTS } from './mcp.ts'
import type { Mutant } from './mutant.ts'
import { OPERATOR_MUTANTS } from './operator.ts'
import { QUEUE_AND_TIME_MUTANTS } from './queue-and-time.ts'
import { RECORD_MUTANTS } from './record.ts'
import { TRANSPORT_MUTANTS } from './transports.ts'
import { WIRE_MUTANTS } from './wire.ts'

/** Every mutant; each room of the core has a file of its own. */
export const MUTANTS: readonly Mutant[] = [
  // First, because they wait for sockets while others compute.
  ...TRANSPORT_MUTANTS,
  ...WIRE_MUTANTS,
  ...CBOR_AND_NAME_MUTANTS,
  ...KEYS_AND_HANDSHAKE_MUTANTS,
  ...RECORD_MUTANTS,
  ...KEY_RENEWAL_MUTANTS,
  ...HELLO_MUTANTS,
  ...ASSOCIATION_MUTANTS,
  ...QUEUE_AND_TIME_MUTANTS,
  ...BRIDGE_MUTANTS,
  ...MCP_MUTANTS,
  ...CONTROL_PLANE_MUTANTS,
  ...LIVE_RELAY_MUTANTS,
  ...OPERATOR_MUTANTS,
]
