import type { CloseCode } from '../codepoints/close-codes.ts'
import type { ProfileCode } from '../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../codepoints/suites.ts'
import type { NpampError } from '../errors.ts'

/**
 * The sans-IO face of one association: octets and a monotonic time in milliseconds go in; octets, events and one
 * deadline come out. Nothing here reads a clock, opens a socket, or throws because of what the peer sent: a peer's fault
 * becomes a `closed` event, a dropped-and-counted frame, or an ERROR frame.
 *
 * A driver calls, in this order after every input: `nextEvent()` until undefined, `transmit()` until empty or the
 * transport is full, `nextTimeout()`.
 */
export interface AssociationCore {
  readonly role: Role
  readonly state: AssociationState
  /** Set from Established on. */
  readonly established: EstablishedInfo | undefined
  /** What the peer's HELLO said, or its assumed equivalent; set from the `ready` event on, gone once closed (HELLO-024). */
  readonly peer: PeerCapabilities | undefined
  readonly counters: AssociationCounters

  /**
   * Octets in any slicing. The array belongs to the association from here on: it is kept by reference until its frames are
   * consumed, and the memory of a large one is given back then.
   */
  receive(octets: Uint8Array, now: number): void
  /** The transport ended: `clean` for an orderly end of stream, else lost. */
  transportEnded(clean: boolean, now: number): void
  /** Runs what is due; harmless when nothing is. */
  handleTimeout(now: number): void
  /** Absolute time of the next due timer. */
  nextTimeout(): number | undefined
  nextEvent(): AssociationEvent | undefined

  /**
   * Seals queued frames, Control first, until about `maxOctets` have been produced, and returns the pieces to write in
   * order. Sealing happens here and only here, so whatever this never returned was never sent (CARRIAGE section 4).
   */
  transmit(now: number, maxOctets: number): Uint8Array[]

  /**
   * Queues one application frame. Throws ClosedError after the end; MisuseError for a channel or type that may not be
   * sent, or not yet (before `ready` a BRIDGE_REQUEST or BRIDGE_NOTIFY); LimitError PEER_FRAME_LIMIT when the sealed frame
   * would exceed the peer's largest frame. Never throws for a full queue: ask `queueFull` first where a frame can be refused.
   */
  send(frame: OutboundFrame): FrameTicket
  /** True when the send queue holds its limit (8 MiB) already; a `drained` event follows when it no longer does. */
  readonly queueFull: boolean
  readonly queuedOctets: number
  /** Octets received of a frame that has not come whole. */
  readonly heldOctets: number
  /** Largest whole frame the peer accepts (key 1 of its HELLO map, else the configured one). */
  readonly peerMaxFrameOctets: number

  /** Open exchanges quicken PING from 30 s to 5 s of silence (CARRIAGE section 7). */
  setOpenExchanges(count: number, now: number): void
  /** While reading is paused by the owner, silence and stalled frames are not held against the peer. */
  setReadingPaused(paused: boolean, now: number): void
  /** Sends a LINK message; false when the peer did not announce version 1 of the extensions. */
  sendLink(message: LinkMessage, now: number): boolean
  /**
   * Reports a frame of the peer that the layer above found wrong: an ERROR frame on its channel (digest 01 9.3). Code 2 is
   * sent once per channel and type, and all of them at most 10 times a second.
   */
  sendError(channel: number, code: number, ref: { type: number; sequence: bigint }, now: number): void
  /** Sends CLOSE behind what is queued and ends after CLOSE_ACK or 5 s. */
  close(code: CloseCode, reason: string, now: number): void
  /** Ends at once: no CLOSE, keys wiped, `closed` event. */
  abort(error: NpampError, now: number): void
}

export type Role = 'initiator' | 'responder'

export type AssociationState = 'handshaking' | 'established' | 'ready' | 'closing' | 'closed'

export interface OutboundFrame {
  readonly channel: number
  readonly type: number
  /** Concatenated they are the plaintext; kept by reference until sealed: do not change them. */
  readonly parts: readonly Uint8Array[]
  /**
   * Called synchronously when the frame is taken for sealing, with its sequence number and its ordinal: for
   * BRIDGE_REQUEST on 0x000D the count from 1 per direction (AUDIT section 2), else 0.
   */
  readonly onTaken?: (sequence: bigint, ordinal: number) => void
}

export interface FrameTicket {
  readonly taken: boolean
  /** Removes the frame from the queue; false when it was taken already. */
  withdraw(): boolean
}

export interface EstablishedInfo {
  readonly profile: ProfileCode
  readonly kem: Kem
  readonly signature: SignatureScheme
  readonly aead: AeadSuite
  /** Raw public key from the peer's IdentityKey. */
  readonly peerKey: Uint8Array
  /** PeerHandle of that key. */
  readonly peerHandle: string
  /** 16 octets, equal on both ends (AUDIT section 2). */
  readonly associationId: Uint8Array
}

export interface PeerCapabilities {
  /** False when `assumedProtocols` stands in for a HELLO that never came. */
  readonly announced: boolean
  /** protocol_ids usable in both directions, in the initiator's order. */
  readonly protocols: readonly number[]
  /** The extension map of CARRIAGE section 1, when the peer sent a well-formed one. */
  readonly extensions: PeerExtensions | undefined
}

export interface PeerExtensions {
  readonly version: number
  readonly maxFrameOctets: number
  readonly tlvTypes: ReadonlySet<number>
  readonly replica: string
  /** 8 octets. */
  readonly bootId: Uint8Array
}

export { CLOSE_CODE, type CloseCode } from '../codepoints/close-codes.ts'

export type LinkMessage =
  | { readonly op: 'sessionEnd'; readonly session: Uint8Array; readonly reason: number }
  | { readonly op: 'drain' }
  | { readonly op: 'successor'; readonly statement: Uint8Array }

export type AssociationEvent =
  | { readonly type: 'established'; readonly info: EstablishedInfo }
  /**
   * Bridge traffic may flow: the peer's HELLO came, or its protocols are assumed. Comes a second time when a peer whose
   * protocols were assumed sends a HELLO after all: `peer` replaces the assumption.
   */
  | { readonly type: 'ready'; readonly peer: PeerCapabilities }
  /**
   * One opened application frame (type >= 0x0030) on an enabled channel other than Control. `payload` is the caller's. Also
   * comes before `ready` (a peer that does not wait for our HELLO) and while closing, when it can no longer be answered.
   */
  | {
      readonly type: 'frame'
      readonly channel: number
      readonly frameType: number
      readonly sequence: bigint
      readonly payload: Uint8Array
      /** Ordinal of a received BRIDGE_REQUEST on 0x000D, counted from 1 after the tag; else 0. */
      readonly ordinal: number
    }
  | { readonly type: 'link'; readonly message: LinkMessage }
  /** An ERROR frame of the peer about a frame of ours. */
  | {
      readonly type: 'peerError'
      readonly channel: number
      readonly code: number
      readonly refType: number
      readonly refSequence: bigint
    }
  | { readonly type: 'drained' }
  /** Last event. The driver flushes `transmit()` once more and shuts the transport. */
  | { readonly type: 'closed'; readonly cause: CloseCause }

export type CloseCause =
  | { readonly by: 'peer'; readonly code: number; readonly reason: string }
  | { readonly by: 'local'; readonly code: CloseCode; readonly reason: string }
  | { readonly by: 'error'; readonly error: NpampError }

/** Plain counters, read by metrics; never reset. */
export interface AssociationCounters {
  framesSent: number
  framesReceived: number
  octetsSent: number
  octetsReceived: number
  /** Frames dropped without closing, by reason (`replay`, `unknown_type`, `channel`, `grease`, `forged_close` ...). */
  readonly dropped: ReadonlyMap<string, number>
  keyUpdatesSent: number
  keyUpdatesReceived: number
  ratchetsReceived: number
}
