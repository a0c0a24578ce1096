import { decodeError } from '../../wire/error.ts'
import { readable } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** Told upwards and never answered, least of all by an ERROR (digest 01 9.3). */
export const onError: FrameHandler = (live, header, payload) => {
  const body = readable(decodeError, payload)
  if (body === undefined) {
    live.drop('malformed')
  } else {
    const { code, refType, refSequence } = body
    live.events.push({ type: 'peerError', channel: header.channel, code, refType, refSequence })
  }
  return undefined
}
