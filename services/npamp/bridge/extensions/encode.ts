import { TLV } from '../../codepoints/tlv-types.ts'
import type { DeliveryOutcome, RelatedExchange, RouteContext, ServiceParameters } from '../contract.ts'
import { encodeDeliveryOutcome } from './delivery-outcome.ts'
import { encodeRelatedExchange } from './related-exchange.ts'
import { encodeRouteContext } from './route-context.ts'
import { encodeServiceParameters } from './service-parameters.ts'

export interface ExtensionValues {
  readonly parameters?: ServiceParameters
  readonly related?: RelatedExchange
  readonly route?: RouteContext
  readonly outcome?: DeliveryOutcome
}

/** The TLVs of those values whose type the peer's HELLO listed. Throws MisuseError ARGUMENT; LimitError ITEMS, LENGTH. */
export function encodeExtensions(values: ExtensionValues, peerKnows: ReadonlySet<number>): Map<number, Uint8Array> {
  const { parameters, related, route, outcome } = values
  const tlvs = new Map<number, Uint8Array>()
  if (parameters !== undefined && peerKnows.has(TLV.SERVICE_PARAMETERS))
    tlvs.set(TLV.SERVICE_PARAMETERS, encodeServiceParameters(parameters))
  if (related !== undefined && peerKnows.has(TLV.RELATED_EXCHANGE))
    tlvs.set(TLV.RELATED_EXCHANGE, encodeRelatedExchange(related))
  if (route !== undefined && peerKnows.has(TLV.ROUTE_CONTEXT)) tlvs.set(TLV.ROUTE_CONTEXT, encodeRouteContext(route))
  if (outcome !== undefined && peerKnows.has(TLV.DELIVERY_OUTCOME))
    tlvs.set(TLV.DELIVERY_OUTCOME, encodeDeliveryOutcome(outcome))
  return tlvs
}
