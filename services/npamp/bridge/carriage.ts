import { CARRIAGE_CLASS, type CarriageClass, carriageClassOf, PROTOCOL } from '../codepoints/protocols.ts'
import { CANCELLED_METHOD, cancelledNotification, cancelledRequestId } from '../mappings/mcp/cancelled.ts'
import type { CarriageRules } from './carriage-rules.ts'
import { JSONRPC_CARRIAGE } from './jsonrpc/carriage.ts'
import type { ScannedMessage } from './jsonrpc/scan.ts'

/** One row per class that is written; a protocol of another class is not carried. */
const CARRIAGES: ReadonlyMap<CarriageClass, CarriageRules> = new Map([[CARRIAGE_CLASS.JSONRPC, JSONRPC_CARRIAGE]])

/** By protocol_id and nothing else (REG-009). Undefined: this Bridge cannot carry it. */
export function carriageOf(protocolId: number): CarriageRules | undefined {
  const carriageClass = carriageClassOf(protocolId)
  return carriageClass && CARRIAGES.get(carriageClass)
}

/** How a protocol cancels a request: by a notification that names it (CARRIAGE section 5). */
export interface Cancellation {
  readonly method: string
  build(idToken: Uint8Array): Uint8Array
  requestId(message: ScannedMessage): Uint8Array | undefined
}

const CANCELLATIONS: ReadonlyMap<number, Cancellation> = new Map([
  [PROTOCOL.MCP, { method: CANCELLED_METHOD, build: cancelledNotification, requestId: cancelledRequestId }],
])

export function cancellationOf(protocolId: number): Cancellation | undefined {
  return CANCELLATIONS.get(protocolId)
}
