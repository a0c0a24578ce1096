import { CHANNEL } from '../codepoints/channels.ts'
import type { CloseCode } from '../codepoints/close-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME } from '../codepoints/frame-types.ts'
import { encodeClose } from '../wire/close.ts'
import type { Live } from './live.ts'
import type { Lane, QueuedFrame } from './outbound-queue.ts'
import { sealFrame } from './seal-frame.ts'

/**
 * Seals what waits, in order, until about `maxOctets` have been produced. Stops early where the first frame may not go:
 * the peer gave no credit, or its channel's key must rest.
 *
 * @returns true when nothing waits any more.
 */
export function transmitQueued(live: Live, now: number, maxOctets: number, out: Uint8Array[]): boolean {
  for (let produced = 0; ; ) {
    const frame = live.queue.head()
    if (frame === undefined) return true
    if (produced >= maxOctets || !sealQueued(live, frame, now, out)) return false
    produced += frame.frameOctets
  }
}

/** Seals the waiting frames of the lanes up to `last` only, whatever their size: what must not be lost with a CLOSE. */
export function transmitLanes(live: Live, last: Lane, now: number, out: Uint8Array[]): void {
  for (;;) {
    const frame = live.queue.head()
    if (frame === undefined || frame.lane > last || !sealQueued(live, frame, now, out)) return
  }
}

/** Seals CLOSE, behind which nothing follows but CLOSE_ACK. False when Control's key must rest. */
export function sealClose(live: Live, code: CloseCode, reason: string, now: number, out: Uint8Array[]): boolean {
  const body = encodeClose({ code, reason })
  if (sealFrame(live, CHANNEL.CONTROL, ALL_CHANNEL_FRAME.CLOSE, [body], now, out) === undefined) return false
  live.closeSealed = true
  return true
}

/** False when the frame has to wait. */
function sealQueued(live: Live, frame: QueuedFrame, now: number, out: Uint8Array[]): boolean {
  if (frame.counted && !live.flow.allows(frame.payloadOctets)) return false
  const sequence = sealFrame(live, frame.channel, frame.type, frame.parts, now, out)
  if (sequence === undefined) return false
  live.queue.take(frame)
  if (frame.counted) live.flow.spend(frame.payloadOctets)
  const ordinal = ordinalOf(live, frame)
  frame.onTaken?.(sequence, ordinal)
  return true
}

/** AUDIT section 2: BRIDGE_REQUEST frames are counted as they are sealed. */
function ordinalOf(live: Live, frame: QueuedFrame): number {
  return frame.channel === CHANNEL.BRIDGE && frame.type === BRIDGE_FRAME.REQUEST ? ++live.requestsSealed : 0
}
