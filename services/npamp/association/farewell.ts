import type { CloseCode } from '../codepoints/close-codes.ts'
import { ALL_CHANNEL_FRAME } from '../codepoints/frame-types.ts'
import type { NpampError } from '../errors.ts'
import { encodeError } from '../wire/error.ts'
import type { FrameHeader } from '../wire/header.ts'
import { faultResponse } from './fault-response.ts'
import type { Live } from './live.ts'
import { LANE } from './outbound-queue.ts'
import { sealFrame } from './seal-frame.ts'
import { sealClose, transmitLanes } from './transmit.ts'

/** Tells the peer of a fault: what Control still had to say, ERROR where the fault has a code, CLOSE. */
export function sayFault(live: Live, error: NpampError, ref: FrameHeader | undefined, now: number): void {
  const { error: code, close } = faultResponse(error)
  if (close === undefined || live.closeSealed) return
  lastWords(() => {
    transmitLanes(live, LANE.AHEAD, now, live.outbox)
    if (code !== undefined && ref !== undefined) {
      const body = encodeError({ code, refType: ref.type, refSequence: ref.sequence, message: error.code })
      sealFrame(live, ref.channel, ALL_CHANNEL_FRAME.ERROR, [body], now, live.outbox)
    }
    sealClose(live, close, error.code, now, live.outbox)
  })
}

/** Gives up what waits and says CLOSE at once. */
export function sayClose(live: Live, code: CloseCode, reason: string, now: number): void {
  if (!live.closeSealed) lastWords(() => sealClose(live, code, reason, now, live.outbox))
}

/** WIRE-026, on the channel that the CLOSE came on. */
export function acknowledgeClose(live: Live, channel: number, now: number): void {
  lastWords(() => sealFrame(live, channel, ALL_CHANNEL_FRAME.CLOSE_ACK, [], now, live.outbox))
}

/** Whatever keeps them from being said (a key at its hard stop, a defect): the end has its cause already, and comes. */
function lastWords(say: () => void): void {
  try {
    say()
  } catch {}
}
