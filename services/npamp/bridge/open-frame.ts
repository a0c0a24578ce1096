import type { AssociationEvent } from '../association/contract.ts'
import { CHANNEL } from '../codepoints/channels.ts'
import { NpampError } from '../errors.ts'
import type { BridgePayload, RelatedExchange } from './contract.ts'
import type { Incoming, Outgoing } from './exchanges.ts'
import { type Extensions, readExtensions } from './extensions/read.ts'
import { octetKey } from './octet-key.ts'
import { decodePayload } from './payload.ts'
import type { BridgeState } from './state.ts'

export type FrameEvent = Extract<AssociationEvent, { type: 'frame' }>

/** A frame's payload with its extensions read, or why its structure is EnvelopeMalformed. */
export type OpenedFrame = { readonly payload: BridgePayload; readonly extensions: Extensions } | NpampError

export function openFrame(state: BridgeState, frame: FrameEvent): OpenedFrame {
  return attempt(() => {
    const payload = decodePayload(frame.payload, frame.frameType, state.weKnow)
    const extensions = readExtensions(payload)
    state.drop('misplaced_extension', extensions.misplaced)
    return { payload, extensions }
  })
}

/** The result, or the protocol error that it threw: what a peer sent is data here, never an exception. */
export function attempt<T>(read: () => T): T | NpampError {
  try {
    return read()
  } catch (error) {
    if (error instanceof NpampError) return error
    throw error
  }
}

/** The open exchange that a RelatedExchange names; one that is over counts as absent (CARRIAGE section 5). */
export function relatedExchange(
  state: BridgeState,
  related: RelatedExchange | undefined,
): Outgoing | Incoming | undefined {
  if (related === undefined) return undefined
  const key = octetKey(related.correlationId)
  return related.originator === 0 ? state.exchanges.theirs(key) : state.exchanges.mine(key)
}

/** An ERROR frame about this one; the association stays (digest 01 section 9.3). */
export function reportFrame(state: BridgeState, frame: FrameEvent, code: number, now: number): void {
  state.association.sendError(CHANNEL.BRIDGE, code, { type: frame.frameType, sequence: frame.sequence }, now)
}
