import { CHANNEL } from '../../codepoints/channels.ts'
import { decodeFlowUpdate } from '../../wire/flow-update.ts'
import { readable, refuseBody } from './body.ts'
import type { FrameHandler } from './handler.ts'

/** Accepted on Control only (digest 01 9.5). */
export const onFlowUpdate: FrameHandler = (live, header, payload, now) => {
  if (header.channel !== CHANNEL.CONTROL) {
    live.drop('flow_channel')
    return undefined
  }
  const cumulativeOctets = readable(decodeFlowUpdate, payload)
  if (cumulativeOctets === undefined) refuseBody(live, header, now)
  else live.flow.grant(cumulativeOctets)
  return undefined
}
