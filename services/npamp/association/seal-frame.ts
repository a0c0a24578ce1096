import type { Live } from './live.ts'
import { TIMER } from './timers.ts'

/**
 * Seals one frame onto `out`, after a KEY_UPDATE when one is due: a channel that is idle keeps its key until it is about
 * to send (digest 03 section 6).
 *
 * @returns its sequence number, or undefined when the channel may not send now: its key is at the hard stop, and updates
 *   come too fast. KEY_PACE is armed then.
 */
export function sealFrame(
  live: Live,
  channel: number,
  type: number,
  parts: readonly Uint8Array[],
  now: number,
  out: Uint8Array[],
): bigint | undefined {
  if (live.sender.updateDue(channel, now) && !renewKey(live, channel, now, out)) return undefined
  const sequence = live.sender.seal(channel, type, parts, now, out)
  live.counters.framesSent += 1
  return sequence
}

/** False when nothing may be sealed on the channel until KEY_PACE. */
function renewKey(live: Live, channel: number, now: number, out: Uint8Array[]): boolean {
  if (live.rates.allow('ownKeyUpdate', now)) {
    live.sender.sealKeyUpdate(channel, now, out)
    live.counters.keyUpdatesSent += 1
    live.counters.framesSent += 1
    return true
  }
  if (!live.sender.exhausted(channel, now)) return true
  live.timers.arm(TIMER.KEY_PACE, live.rates.readyAt('ownKeyUpdate', now))
  return false
}
