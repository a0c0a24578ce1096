import { CHANNEL } from '../../codepoints/channels.ts'
import { ERROR_CODE } from '../../codepoints/error-codes.ts'
import { ALL_CHANNEL_FRAME, BRIDGE_FRAME, CONTROL_FRAME, FIRST_APPLICATION_TYPE } from '../../codepoints/frame-types.ts'
import { MisbehavedError } from '../../errors.ts'
import { FLAG, type FrameHeader } from '../../wire/header.ts'
import { linkAgreed } from '../link.ts'
import type { Live } from '../live.ts'
import { onClose, onCloseAck } from './close.ts'
import { onError } from './error.ts'
import { onFlowUpdate } from './flow-update.ts'
import type { FrameHandler, Reaction } from './handler.ts'
import { onHello, onHelloDone } from './hello.ts'
import { onKeyUpdate, onKeyUpdateAck } from './key-update.ts'
import { onLink } from './link.ts'
import { onPathChallenge, onPathResponse } from './path.ts'
import { onPing, onPong } from './ping.ts'
import { onMasterRatchet, onMasterRatchetAck, onRekem, onRekemAck } from './ratchet.ts'

/** Step 15 of digest 01 section 5: what an opened frame means, by its type and channel together (WIRE-020). */
export function dispatch(live: Live, header: FrameHeader, payload: Uint8Array, now: number): Reaction | undefined {
  const { flags, type, channel, sequence } = header
  if ((flags & (FLAG.COMP | FLAG.FRAG)) !== 0) {
    // Authentic, so the peer's own choice; the specification defines neither (digest 01 section 3).
    throw new MisbehavedError('UNSUPPORTED_FLAG', `channel ${channel}: COMP and FRAG are not supported`)
  }
  if (channel !== CHANNEL.CONTROL && type >= FIRST_APPLICATION_TYPE) {
    const ordinal = channel === CHANNEL.BRIDGE && type === BRIDGE_FRAME.REQUEST ? ++live.requestsOpened : 0
    live.events.push({ type: 'frame', channel, frameType: type, sequence, payload, ordinal })
    return undefined
  }
  return handlerOf(live, channel, type)(live, header, payload, now)
}

function handlerOf(live: Live, channel: number, type: number): FrameHandler {
  const onEveryChannel = ALL_CHANNEL.get(type) // WIRE-018
  if (onEveryChannel !== undefined) return onEveryChannel
  if (channel !== CHANNEL.CONTROL) return onUnknown
  if (type === CONTROL_FRAME.LINK && !linkAgreed(live)) return onUnknown
  return CONTROL.get(type) ?? onUnknown
}

/** Authenticated, counted in the sequence, then dropped; reported once per channel and type (digest 01 section 8). */
const onUnknown: FrameHandler = (live, { channel, type, sequence }, _payload, now) => {
  live.drop('unknown_type')
  live.report(channel, ERROR_CODE.UNKNOWN_FRAME_TYPE, type, sequence, now)
  return undefined
}

/** Digest 02 section 10: there is one handshake. */
const onHandshakeFrame: FrameHandler = () => {
  throw new MisbehavedError('UNEXPECTED_FRAME', 'a handshake frame after Established')
}

const ALL_CHANNEL: ReadonlyMap<number, FrameHandler> = new Map([
  [ALL_CHANNEL_FRAME.PING, onPing],
  [ALL_CHANNEL_FRAME.PONG, onPong],
  [ALL_CHANNEL_FRAME.CLOSE, onClose],
  [ALL_CHANNEL_FRAME.CLOSE_ACK, onCloseAck],
  [ALL_CHANNEL_FRAME.ERROR, onError],
  [ALL_CHANNEL_FRAME.KEY_UPDATE, onKeyUpdate],
  [ALL_CHANNEL_FRAME.KEY_UPDATE_ACK, onKeyUpdateAck],
  [ALL_CHANNEL_FRAME.PATH_CHALLENGE, onPathChallenge],
  [ALL_CHANNEL_FRAME.PATH_RESPONSE, onPathResponse],
  [ALL_CHANNEL_FRAME.FLOW_UPDATE, onFlowUpdate],
])

/** On channel 0x0000 only: the ratchet's numbers mean something else on Bridge (REC-030). */
const CONTROL: ReadonlyMap<number, FrameHandler> = new Map([
  [CONTROL_FRAME.CLIENT_HELLO, onHandshakeFrame],
  [CONTROL_FRAME.SERVER_HELLO, onHandshakeFrame],
  [CONTROL_FRAME.SERVER_AUTH, onHandshakeFrame],
  [CONTROL_FRAME.CLIENT_AUTH, onHandshakeFrame],
  [CONTROL_FRAME.MASTER_RATCHET, onMasterRatchet],
  [CONTROL_FRAME.MASTER_RATCHET_ACK, onMasterRatchetAck],
  [CONTROL_FRAME.REKEM, onRekem],
  [CONTROL_FRAME.REKEM_ACK, onRekemAck],
  [CONTROL_FRAME.HELLO, onHello],
  [CONTROL_FRAME.HELLO_DONE, onHelloDone],
  [CONTROL_FRAME.LINK, onLink],
])
