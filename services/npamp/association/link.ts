import { CHANNEL } from '../codepoints/channels.ts'
import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { encodeLink } from '../wire/link.ts'
import type { LinkMessage } from './contract.ts'
import type { Live } from './live.ts'
import { LINK_LANE } from './outbound-queue.ts'

/** LINK is spoken only when both ends announced version 1 of the extensions (CARRIAGE section 1). */
export function linkAgreed(live: Live): boolean {
  return live.settings.extensions !== undefined && live.peer?.extensions !== undefined
}

/** Queues a LINK behind the Bridge frames that wait; false when the ends did not agree on it. */
export function sendLink(live: Live, message: LinkMessage): boolean {
  if (!linkAgreed(live)) return false
  live.queue.push(LINK_LANE, { channel: CHANNEL.CONTROL, type: CONTROL_FRAME.LINK, parts: [encodeLink(message)] })
  return true
}
