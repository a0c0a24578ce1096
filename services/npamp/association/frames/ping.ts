import { ALL_CHANNEL_FRAME } from '../../codepoints/frame-types.ts'
import { decodePing } from '../../wire/ping.ts'
import { readable, refuseBody } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** WIRE-026: PONG is a byte-exact copy on the same channel, at most ten a second (digest 01 9.1). */
export const onPing: FrameHandler = (live, header, payload, now) => {
  const opaque = readable(decodePing, payload)
  if (opaque === undefined) refuseBody(live, header, now)
  else if (live.rates.allow('ping', now)) live.reply(header.channel, ALL_CHANNEL_FRAME.PONG, opaque)
  else live.drop('ping_rate')
  return undefined
}

/** Its octets have told all there is to know: the peer lives. */
export const onPong: FrameHandler = () => undefined
