import type { ClientConfig, ServerConfig } from '../handshake/config.ts'
import type { KeyLimits } from '../record/key-limits.ts'
import type { EstablishedInfo } from './contract.ts'

/**
 * Everything an association is given. Durations are milliseconds, sizes octets. `handshake` holds identity, policy, offers,
 * and the provider that all cryptography and randomness of the association comes from.
 */
export type AssociationOptions =
  | (CommonOptions & { readonly role: 'initiator'; readonly handshake: ClientConfig })
  | (CommonOptions & { readonly role: 'responder'; readonly handshake: ServerConfig })

interface CommonOptions {
  /**
   * What this end says to its peer and expects of it. A function is asked once, when the peer's key is known; it must not
   * throw.
   */
  readonly settings: PeerSettings | ((info: EstablishedInfo) => PeerSettings)
  /**
   * Channels this end uses beside Control, which is always on; default Bridge. Both ends configure the same list, as no
   * message advertises channels (digest 05 G13). One below its minimum profile stays off (WIRE-033).
   */
  readonly channels?: readonly number[]
  /** From construction to Established; default 10,000. */
  readonly handshakeTimeoutMs?: number
  /** Queue size from which `queueFull` is true; default 8 MiB. */
  readonly sendQueueOctets?: number
  /** Bounds after which own keys are renewed; they can only tighten the profile's (digest 03 section 6). */
  readonly keyLimits?: KeyLimits
  /** The peer's hard stop that is policed at twice its value; default and upper bound: the profile's. */
  readonly peerKeyLimits?: KeyLimits
}

export interface PeerSettings {
  /** protocol_ids this end carries, most preferred first. */
  readonly protocols: readonly number[]
  /** Largest whole frame this end accepts once established, and announces: 65,536 or more; default 16 MiB. */
  readonly maxFrameOctets?: number
  /** Announces the extensions of CARRIAGE section 1; absent: none. */
  readonly extensions?: OwnExtensions
  /** The peer sends no HELLO (a foreign implementation): take these as its protocols, send none, wait for none. */
  readonly assumedProtocols?: readonly number[]
  /** Largest whole frame to send to a peer that announces no limit; default 16 MiB. */
  readonly peerMaxFrameOctets?: number
  /** SHA-256 of the deterministic CBOR of the `protocols` array that the peer must send (digest 05 G2). */
  readonly expectedProtocolsDigest?: Uint8Array
}

export interface OwnExtensions {
  /** TLV types this end understands and implements, ascending. */
  readonly tlvTypes: readonly number[]
  /** `[a-z0-9.-]{1,63}`, unique among processes that share an identity. */
  readonly replica: string
  /** 8 octets, fresh at each start of the process. */
  readonly bootId: Uint8Array
}

export const DEFAULT_MAX_FRAME_OCTETS = 16 * 1024 * 1024
export const MIN_MAX_FRAME_OCTETS = 65_536
export const DEFAULT_HANDSHAKE_TIMEOUT_MS = 10_000
export const DEFAULT_SEND_QUEUE_OCTETS = 8 * 1024 * 1024
