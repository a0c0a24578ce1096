import { CHANNEL } from '../codepoints/channels.ts'
import { BRIDGE_FRAME, isApplicationType } from '../codepoints/frame-types.ts'
import { ClosedError, LimitError, MisuseError } from '../errors.ts'
import { HEADER_OCTETS, TAG_OCTETS } from '../wire/header.ts'
import type { OutboundFrame } from './contract.ts'
import type { Live } from './live.ts'
import type { Phase } from './phase.ts'

/** The live association, if this frame may be queued on it now. Throws as AssociationCore.send says. */
export function requireSendable(phase: Phase, frame: OutboundFrame): Live {
  if (phase.name === 'closing' || phase.name === 'closed') throw new ClosedError('CLOSED', 'the association is over')
  if (phase.name === 'handshaking') throw new MisuseError('STATE', 'the handshake is not complete')
  const { live } = phase
  const { channel, type } = frame
  // WIRE-031; Control's frames are the association's own.
  if (channel === CHANNEL.CONTROL || !live.isEnabled(channel)) {
    throw new MisuseError('ARGUMENT', `channel ${channel} is not usable by applications here`)
  }
  if (!isApplicationType(channel, type)) {
    throw new MisuseError('RESERVED', `frame type ${type} is not an application's on channel ${channel}`)
  }
  if (phase.name === 'established' && opensExchange(channel, type)) {
    throw new MisuseError('STATE', 'nothing may be asked before the HELLO of the peer') // CARRIAGE section 1
  }
  requireFits(live, frame)
  return live
}

/** Replies may precede the HELLO: a request that came too early is answered with a transport error. */
function opensExchange(channel: number, type: number): boolean {
  return channel === CHANNEL.BRIDGE && (type === BRIDGE_FRAME.REQUEST || type === BRIDGE_FRAME.NOTIFY)
}

/** Key 1 of the peer's HELLO map, checked before sealing (CARRIAGE section 1). */
function requireFits(live: Live, frame: OutboundFrame): void {
  let octets = HEADER_OCTETS + TAG_OCTETS
  for (const part of frame.parts) octets += part.length
  if (octets > live.peerMaxFrameOctets) {
    throw new LimitError('PEER_FRAME_LIMIT', `a frame of ${octets} octets; the peer takes ${live.peerMaxFrameOctets}`)
  }
}
