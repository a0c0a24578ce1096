import { CHANNEL } from '../codepoints/channels.ts'
import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { encodeHello, encodeHelloDone, HELLO_VERSION } from '../wire/hello.ts'
import { EXTENSION_VERSION } from '../wire/hello-extensions.ts'
import { usableProtocols } from '../wire/hello-selection.ts'
import type { PeerExtensions } from './contract.ts'
import type { Live } from './live.ts'
import { DEFAULT_MAX_FRAME_OCTETS, type PeerSettings } from './options.ts'
import { LANE } from './outbound-queue.ts'
import { TIMER } from './timers.ts'

/** No HELLO of the peer within this time of Established: CLOSE 2 (CARRIAGE section 1). */
const HELLO_TIMEOUT_MS = 5_000

/**
 * At Established. The initiator announces at once, the responder waits for it; a peer that is known to send no HELLO is
 * sent none and not waited for. True when the association is ready by that assumption.
 */
export function beginHello(live: Live, now: number): boolean {
  const assumed = live.settings.assumedProtocols
  if (assumed !== undefined) {
    live.peer = { announced: false, protocols: usable(live, assumed), extensions: undefined }
    return true
  }
  if (live.role === 'initiator') sendHello(live, HELLO_VERSION)
  live.timers.arm(TIMER.HELLO, now + HELLO_TIMEOUT_MS)
  return false
}

/** Queues our one HELLO and, as nothing more will be announced, HELLO_DONE right behind it (HELLO-004, HELLO-005). */
export function sendHello(live: Live, version: number): void {
  const { protocols } = live.settings
  const hello = encodeHello({ version, protocols, extensions: ownExtensions(live.settings) }, grease(live))
  live.hello.sentVersion = version
  live.queue.push(LANE.AHEAD, { channel: CHANNEL.CONTROL, type: CONTROL_FRAME.HELLO, parts: [hello] })
  live.queue.push(LANE.AHEAD, { channel: CHANNEL.CONTROL, type: CONTROL_FRAME.HELLO_DONE, parts: [encodeHelloDone()] })
}

/** HELLO-015: in the initiator's order, whoever that is. */
export function usable(live: Live, peerProtocols: readonly number[]): readonly number[] {
  const own = live.settings.protocols
  const both = live.role === 'initiator' ? usableProtocols(own, peerProtocols) : usableProtocols(peerProtocols, own)
  // Most often the same list: then all associations share it.
  return both.length === own.length && both.every((id, index) => id === own[index]) ? own : both
}

function ownExtensions(settings: PeerSettings): PeerExtensions | undefined {
  const { extensions, maxFrameOctets = DEFAULT_MAX_FRAME_OCTETS } = settings
  if (extensions === undefined) return undefined
  return {
    version: EXTENSION_VERSION,
    maxFrameOctets,
    tlvTypes: new Set(extensions.tlvTypes),
    replica: extensions.replica,
    bootId: extensions.bootId,
  }
}

/** HELLO-010: one meaningless value, of the form 0xNANA, so that peers do not learn to expect none. */
function grease(live: Live): readonly number[] {
  const octet = ((live.provider.random(1)[0] ?? 0) & 0xf0) | 0x0a
  return [octet * 0x0101]
}
