import { MisuseError } from '../../errors.ts'
import { type DeliveryOutcome, OUTCOME, type Outcome, TRANSPORT_ERROR } from '../contract.ts'

/** -33110 to -33117 are what CARRIAGE section 8 defines. */
const MAX_REASON = 7

/** TLV 0x4356: u8 outcome, u8 reason. Throws MisuseError ARGUMENT. */
export function encodeDeliveryOutcome({ outcome, reason }: DeliveryOutcome): Uint8Array {
  if (!(Number.isInteger(reason) && reason >= 0 && reason <= MAX_REASON))
    throw new MisuseError('ARGUMENT', `a reason is 0 to ${MAX_REASON}`)
  return Uint8Array.of(outcome, reason)
}

/** Undefined for any other length or value, which counts as absent and not as malformed (CARRIAGE section 1). */
export function decodeDeliveryOutcome(value: Uint8Array): DeliveryOutcome | undefined {
  const [outcome, reason] = value
  if (value.length !== 2 || !isOutcome(outcome) || reason === undefined || reason > MAX_REASON) return undefined
  return { outcome, reason }
}

/** What an absent TLV stands for: codes 2, 3 and 5 refuse before anything ran, the others leave it open. */
export function defaultOutcome(transportErrorCode: number): Outcome {
  switch (transportErrorCode) {
    case TRANSPORT_ERROR.PROTOCOL_UNSUPPORTED:
    case TRANSPORT_ERROR.METHOD_UNSUPPORTED:
    case TRANSPORT_ERROR.SAFETY_POLICY:
      return OUTCOME.NOT_DELIVERED
    default:
      return OUTCOME.UNKNOWN
  }
}

const OUTCOMES: readonly number[] = Object.values(OUTCOME)

function isOutcome(value: number | undefined): value is Outcome {
  return value !== undefined && OUTCOMES.includes(value)
}
