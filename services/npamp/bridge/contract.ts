/** Effects of a SafetyLabel (digest 04 section 5), mildest first. */
export const EFFECT = { READ_ONLY: 0, IDEMPOTENT_WRITE: 1, NON_IDEMPOTENT_WRITE: 2, DESTRUCTIVE: 3 } as const
export type Effect = (typeof EFFECT)[keyof typeof EFFECT]

export interface SafetyLabel {
  /** 0-3 when sent; a received value above 3 is kept and counts as destructive. */
  readonly effect: number
  /** At most 255 octets of UTF-8. */
  readonly scope: string
}

export const CONTENT_TYPE = { JSON: 0x01, CBOR: 0x02, GRPC_PROTO: 0x03 } as const

export const MESSAGE_KIND = { REQUEST: 1, RESPONSE: 2, NOTIFY: 3, ERROR: 4, STREAM_DATA: 5, STREAM_END: 6 } as const

export interface BridgeEnvelope {
  readonly protocolId: number
  readonly kind: number
  readonly contentType: number
  readonly flags: number
  readonly correlationId: Uint8Array
  /** UTF-8 on the wire, at most 255 octets; '' when absent. */
  readonly method: string
}

/** A Bridge payload taken apart: envelope, label, extension TLVs by type, and the untouched rest. */
export interface BridgePayload {
  readonly envelope: BridgeEnvelope
  readonly label: SafetyLabel | undefined
  /** Raw values of 0x4351-0x4359 that both ends speak; an empty value counts as absent and does not stand here. */
  readonly extensions: ReadonlyMap<number, Uint8Array>
  readonly foreign: Uint8Array
}

/** CARRIAGE section 1, TLV 0x4355. */
export interface RouteContext {
  readonly target: string
  /** 16 octets; absent where the protocol has no session. */
  readonly session: Uint8Array | undefined
}

/** CARRIAGE section 1, TLV 0x4353. */
export interface RelatedExchange {
  /** 0: the sender of this frame opened it; 1: the receiver did. */
  readonly originator: 0 | 1
  readonly correlationId: Uint8Array
}

export const OUTCOME = { NOT_DELIVERED: 0, UNKNOWN: 1, CANCELLED: 2, SESSION_LOST: 3 } as const
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME]

/** CARRIAGE section 1, TLV 0x4356. */
export interface DeliveryOutcome {
  readonly outcome: Outcome
  /** n stands for code -33110 - n of CARRIAGE section 8; 0 none. */
  readonly reason: number
}

export const TRANSPORT_ERROR = {
  ENVELOPE_MALFORMED: 1,
  PROTOCOL_UNSUPPORTED: 2,
  METHOD_UNSUPPORTED: 3,
  NOT_DELIVERED: 4,
  SAFETY_POLICY: 5,
  NOT_RESUMABLE: 6,
  BINDING_MALFORMED: 16,
  DIGEST_MISMATCH: 17,
  DIGEST_UNSTABLE: 18,
  PROOF_UNBOUND: 19,
  PROOF_UNSUPPORTED: 20,
  SET_INCOMPLETE: 21,
} as const
export type TransportErrorCode = (typeof TRANSPORT_ERROR)[keyof typeof TRANSPORT_ERROR]

/** A failure below the foreign protocol, as it crosses: never a foreign error and never the reverse (BRG-018). */
export interface TransportFailure {
  readonly code: TransportErrorCode
  /** Diagnostic only, at most 255 octets of UTF-8; drives no logic. */
  readonly message: string
  readonly outcome: Outcome
  readonly reason: number
  /** From ServiceParameters of the ERROR, e.g. `:status`. */
  readonly parameters: ServiceParameters
}

/** CARRIAGE section 1, TLV 0x4352: lower-case names; header octets as U+0000-U+00FF. */
export type ServiceParameters = ReadonlyMap<string, string>
