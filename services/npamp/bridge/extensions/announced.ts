import { TLV } from '../../codepoints/tlv-types.ts'
import { MESSAGE_KIND } from '../contract.ts'

/**
 * The TLV types for key 2 of our HELLO's extension map, ascending: what this Bridge understands and acts on. TraceContext
 * and AuditHead have codecs here but are not announced until something acts on them.
 */
export const ANNOUNCED_TLV_TYPES: readonly number[] = [
  TLV.SERVICE_PARAMETERS,
  TLV.RELATED_EXCHANGE,
  TLV.ROUTE_CONTEXT,
  TLV.DELIVERY_OUTCOME,
]

const { REQUEST, RESPONSE, NOTIFY, ERROR, STREAM_DATA, STREAM_END } = MESSAGE_KIND

/** On which message kinds an extension means something; elsewhere it is ignored and counted (CARRIAGE section 1). */
const PLACES: ReadonlyMap<number, readonly number[]> = new Map([
  [TLV.TRACE_CONTEXT, [REQUEST, NOTIFY]],
  [TLV.SERVICE_PARAMETERS, [REQUEST, RESPONSE, ERROR]],
  [TLV.RELATED_EXCHANGE, [NOTIFY, REQUEST]],
  [TLV.ROUTE_CONTEXT, [REQUEST, NOTIFY]],
  [TLV.DELIVERY_OUTCOME, [ERROR]],
  [TLV.PRINCIPAL_ASSERTION, [REQUEST]],
  [TLV.AUDIT_HEAD, [REQUEST, RESPONSE, ERROR, NOTIFY, STREAM_DATA, STREAM_END]],
  [TLV.APPROVAL, [REQUEST]],
])

export function belongsOn(tlvType: number, kind: number): boolean {
  return PLACES.get(tlvType)?.includes(kind) ?? false
}
