import { TLV } from '../../codepoints/tlv-types.ts'
import type { BridgePayload, DeliveryOutcome, RelatedExchange, RouteContext, ServiceParameters } from '../contract.ts'
import { belongsOn } from './announced.ts'
import { decodeDeliveryOutcome } from './delivery-outcome.ts'
import { decodeRelatedExchange } from './related-exchange.ts'
import { decodeRouteContext } from './route-context.ts'
import { decodeServiceParameters } from './service-parameters.ts'

export interface Extensions {
  readonly route: RouteContext | undefined
  readonly related: RelatedExchange | undefined
  readonly parameters: ServiceParameters
  readonly outcome: DeliveryOutcome | undefined
  /** Extensions that mean nothing on a frame of this kind. */
  readonly misplaced: number
}

export const NO_PARAMETERS: ServiceParameters = new Map()

const NONE: Extensions = {
  route: undefined,
  related: undefined,
  parameters: NO_PARAMETERS,
  outcome: undefined,
  misplaced: 0,
}

/** The values of a payload's extension TLVs. Throws MalformedError, LimitError: EnvelopeMalformed (CARRIAGE section 1). */
export function readExtensions({ envelope, extensions }: BridgePayload): Extensions {
  if (extensions.size === 0) return NONE
  const read: { -readonly [K in keyof Extensions]: Extensions[K] } = { ...NONE }
  for (const [type, value] of extensions) {
    if (!belongsOn(type, envelope.kind)) read.misplaced += 1
    else if (type === TLV.ROUTE_CONTEXT) read.route = decodeRouteContext(value)
    else if (type === TLV.RELATED_EXCHANGE) read.related = decodeRelatedExchange(value)
    else if (type === TLV.SERVICE_PARAMETERS) read.parameters = decodeServiceParameters(value)
    else if (type === TLV.DELIVERY_OUTCOME) read.outcome = decodeDeliveryOutcome(value)
  }
  return read
}
