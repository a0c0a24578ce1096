import { ALL_CHANNEL_FRAME } from '../../codepoints/frame-types.ts'
import { MisbehavedError } from '../../errors.ts'
import { decodeKeyUpdate, encodeKeyUpdate } from '../../wire/key-update.ts'
import { readable, required } from './body.ts'
import type { FrameHandler } from './handler.ts'

/**
 * Digest 03 section 5, steps 4 to 6: the peer's sending keys on this channel move on; ours do not (REC-013). The
 * acknowledgement goes out under whatever key is ours by then.
 */
export const onKeyUpdate: FrameHandler = (live, header, payload, now) => {
  const { channel } = header
  if (!live.rates.allow('keyUpdate', now)) throw new MisbehavedError('RATE', 'more than 10 KEY_UPDATE in a second')
  const epoch = required(decodeKeyUpdate, payload, (message) => new MisbehavedError('KEY_UPDATE', message))
  const expected = live.receiver.nextEpoch(channel, now)
  if (epoch !== expected) {
    throw new MisbehavedError('KEY_UPDATE', `channel ${channel}: KEY_UPDATE to epoch ${epoch} instead of ${expected}`)
  }
  live.receiver.enterNextEpoch(channel, now)
  live.counters.keyUpdatesReceived += 1
  live.reply(channel, ALL_CHANNEL_FRAME.KEY_UPDATE_ACK, encodeKeyUpdate(epoch))
  return undefined
}

/** Information only: nothing waits for it, and a strange one changes nothing. */
export const onKeyUpdateAck: FrameHandler = (live, header, payload) => {
  const epoch = readable(decodeKeyUpdate, payload)
  if (epoch === undefined || epoch < 1n || epoch > live.sender.epochOf(header.channel)) live.drop('key_update_ack')
  return undefined
}
