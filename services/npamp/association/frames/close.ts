import { decodeCloseLeniently } from '../../wire/close.ts'
import type { FrameHandler } from './handler.ts'

/** Only reached once the tag has verified (WIRE-023). An unreadable body closes as well. */
export const onClose: FrameHandler = (_live, _header, payload) => {
  const { code, reason } = decodeCloseLeniently(payload)
  return { kind: 'closedByPeer', code, reason }
}

export const onCloseAck: FrameHandler = (live) => {
  if (live.closeSealed) return { kind: 'closeAcknowledged' }
  live.drop('close_ack')
  return undefined
}
