import { ERROR_CODE } from '../../codepoints/error-codes.ts'
import { NpampError } from '../../errors.ts'
import type { FrameHeader } from '../../wire/header.ts'
import type { Live } from '../live.ts'

/** The decoded body, or undefined where it is malformed. */
export function readable<T>(decode: (payload: Uint8Array) => T, payload: Uint8Array): T | undefined {
  try {
    return decode(payload)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}

/** The decoded body; what is wrong with it is thrown as `fault` says, so that the answer on the wire fits the frame. */
export function required<T>(
  decode: (payload: Uint8Array) => T,
  payload: Uint8Array,
  fault: (message: string) => NpampError,
): T {
  try {
    return decode(payload)
  } catch (error) {
    if (error instanceof NpampError) throw fault(error.message)
    throw error
  }
}

/** A malformed body that harms nothing but itself: dropped, counted, ERROR 1. */
export function refuseBody(live: Live, header: FrameHeader, now: number): void {
  live.drop('malformed')
  live.report(header.channel, ERROR_CODE.PROTOCOL_VIOLATION, header.type, header.sequence, now)
}
