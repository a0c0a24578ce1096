import type { FrameHeader } from '../../wire/header.ts'
import type { Live } from '../live.ts'

/** What a frame does to the association as a whole; most do nothing. */
export type Reaction =
  /** The peer's capabilities are known now, or known better. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'closedByPeer'; readonly code: number; readonly reason: string }
  | { readonly kind: 'closeAcknowledged' }

/**
 * Acts on one opened frame whose type it is for. Throws an NpampError for what ends the association; the answer on the
 * wire follows from its code (`fault-response.ts`).
 */
export type FrameHandler = (live: Live, header: FrameHeader, payload: Uint8Array, now: number) => Reaction | undefined
