/**
 * Every error that the protocol core raises is an NpampError of exactly one family. A family says who is at fault and
 * therefore what a caller may do; the code is stable and machine readable; the message is for a person.
 *
 * - malformed: octets that do not parse.
 * - misbehaved: octets that parse but that the peer must not send in this state.
 * - incompatible: two correct ends that have nothing in common (profile, suite, version, protocol).
 * - authentication: a tag, signature, MAC, or identity check failed.
 * - limit: a bound of ours or of the peer's was reached; nothing was lost.
 * - misuse: the caller of this library broke its contract.
 * - closed: the association is over.
 */
export type ErrorFamily = 'malformed' | 'misbehaved' | 'incompatible' | 'authentication' | 'limit' | 'misuse' | 'closed'

export class NpampError extends Error {
  readonly family: ErrorFamily
  /** Stable, e.g. `BAD_CRC`; the closed unions are below. */
  readonly code: string

  constructor(family: ErrorFamily, code: string, message: string) {
    super(message)
    this.name = new.target.name
    this.family = family
    this.code = code
  }
}

export class MalformedError extends NpampError {
  declare readonly code: MalformedCode
  constructor(code: MalformedCode, message: string) {
    super('malformed', code, message)
  }
}

export class MisbehavedError extends NpampError {
  declare readonly code: MisbehavedCode
  constructor(code: MisbehavedCode, message: string) {
    super('misbehaved', code, message)
  }
}

export class IncompatibleError extends NpampError {
  declare readonly code: IncompatibleCode
  constructor(code: IncompatibleCode, message: string) {
    super('incompatible', code, message)
  }
}

export class AuthenticationError extends NpampError {
  declare readonly code: AuthenticationCode
  constructor(code: AuthenticationCode, message: string) {
    super('authentication', code, message)
  }
}

export class LimitError extends NpampError {
  declare readonly code: LimitCode
  constructor(code: LimitCode, message: string) {
    super('limit', code, message)
  }
}

export class MisuseError extends NpampError {
  declare readonly code: MisuseCode
  constructor(code: MisuseCode, message: string) {
    super('misuse', code, message)
  }
}

export class ClosedError extends NpampError {
  declare readonly code: ClosedCode
  constructor(code: ClosedCode, message: string) {
    super('closed', code, message)
  }
}

export type MalformedCode =
  | 'BAD_CRC'
  | 'BAD_MAGIC'
  | 'BAD_VERSION'
  | 'RESERVED_NOT_ZERO'
  | 'ILLEGAL_FRAME_TYPE'
  | 'ILLEGAL_CHANNEL'
  | 'TRUNCATED'
  | 'TRAILING_OCTETS'
  | 'TLV_TRUNCATED'
  | 'TLV_UNKNOWN_CRITICAL'
  | 'TLV_LAYOUT'
  | 'TLV_VALUE'
  | 'CBOR'
  | 'HELLO'
  | 'LINK'
  | 'ENVELOPE'
  | 'SAFETY_LABEL'
  | 'EXTENSION'
  | 'JSON'
  | 'JSON_RPC'
  | 'PEER_HANDLE'
  | 'KEY'
  | 'CONTROL_FRAME'
  | 'SUCCESSOR'

export type MisbehavedCode =
  | 'UNEXPECTED_FRAME'
  | 'UNSUPPORTED_FLAG'
  | 'SEQUENCE_GAP'
  | 'REPLAY'
  | 'KEY_UPDATE'
  | 'RATCHET'
  | 'SECOND_HELLO'
  | 'FLOW_CONTROL'
  | 'NOT_OFFERED'
  | 'ILLEGAL_SELECTION'
  | 'RATE'
  | 'REKEM_RATE'
  | 'KEY_LIMIT'

export type IncompatibleCode =
  | 'NO_COMMON_PROFILE'
  | 'NO_COMMON_KEM'
  | 'NO_COMMON_SIGNATURE'
  | 'NO_COMMON_AEAD'
  | 'PROFILE_NOT_IMPLEMENTED'
  | 'NATIVE_CRYPTO'
  | 'NO_COMMON_VERSION'
  | 'NO_HELLO'
  | 'PROTOCOL_UNSUPPORTED'
  | 'ALPN'
  | 'TLS'

export type AuthenticationCode =
  | 'TAG'
  | 'CERT_VERIFY'
  | 'FINISHED'
  | 'IDENTITY_REFUSED'
  | 'KEM'
  | 'PEER_HANDLE_MISMATCH'
  | 'PROTOCOLS_DIGEST'
  | 'SUCCESSOR'

export type LimitCode =
  | 'FRAME_TOO_LARGE'
  | 'PEER_FRAME_LIMIT'
  | 'SEND_QUEUE_FULL'
  | 'HANDSHAKE_TIMEOUT'
  | 'HALF_OPEN'
  | 'KEY_EXHAUSTED'
  | 'LENGTH'
  | 'DEPTH'
  | 'ITEMS'
  | 'STALLED'
  | 'MEMORY'
  | 'DUPLICATE_ID'

export type MisuseCode = 'STATE' | 'ARGUMENT' | 'RESERVED'

export type ClosedCode = 'CLOSED' | 'PEER_CLOSED' | 'TRANSPORT_LOST' | 'DEAD' | 'WIPED' | 'INTERNAL'
