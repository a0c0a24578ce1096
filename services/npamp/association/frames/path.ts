import { ALL_CHANNEL_FRAME } from '../../codepoints/frame-types.ts'
import { decodePathChallenge, encodePathResponse, pathResponse } from '../../wire/path.ts'
import { readable, refuseBody } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** Answered when asked, never initiated on an ordered stream, whose path cannot change (digest 01 9.4). */
export const onPathChallenge: FrameHandler = (live, header, payload, now) => {
  const challenge = readable(decodePathChallenge, payload)
  if (challenge === undefined) {
    refuseBody(live, header, now)
  } else if (live.rates.allow('pathChallenge', now)) {
    const response = pathResponse(challenge, live.sendDirection, (data) => live.provider.hash('sha256', data))
    live.reply(header.channel, ALL_CHANNEL_FRAME.PATH_RESPONSE, encodePathResponse(response))
  } else {
    live.drop('path_rate')
  }
  return undefined
}

export const onPathResponse: FrameHandler = (live) => {
  live.drop('path_response')
  return undefined
}
