import { CHANNEL, isGreaseChannel } from '../codepoints/channels.ts'
import { CONTROL_FRAME } from '../codepoints/frame-types.ts'
import { MisbehavedError } from '../errors.ts'
import { FLAG, type FrameHeader } from '../wire/header.ts'
import type { Live } from './live.ts'

/**
 * Steps 9 and 10 of digest 01 section 5: whether a frame is looked at any further. No key is derived and no state kept
 * for what is not.
 *
 * @returns why it is dropped, or undefined for a frame to open.
 * @throws MisbehavedError UNEXPECTED_FRAME for a handshake flight in clear: there is one handshake (digest 02 section 10).
 */
export function admit(live: Live, header: FrameHeader): 'grease' | 'channel' | undefined {
  if (isGreaseChannel(header.channel)) return 'grease' // WIRE-038
  if (!live.isEnabled(header.channel)) return 'channel' // WIRE-032
  if ((header.flags & FLAG.ENC) === 0 && isHandshakeFlight(header)) {
    throw new MisbehavedError('UNEXPECTED_FRAME', 'a handshake frame after Established')
  }
  return undefined
}

function isHandshakeFlight({ channel, type }: FrameHeader): boolean {
  return channel === CHANNEL.CONTROL && type >= CONTROL_FRAME.CLIENT_HELLO && type <= CONTROL_FRAME.CLIENT_AUTH
}
