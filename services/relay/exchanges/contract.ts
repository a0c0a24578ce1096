import type { Effect, Outcome, ScannedMessage, ServiceParameters } from '@causeway/npamp'

/**
 * What the edge calls and what a far relay's inbound exchanges call: a backend of this relay, or a target behind a peer.
 * One request has one sink; the sink is told of related notifications, then exactly once of its end.
 */
export interface CallTarget {
  /** For logs and errors: `backend/ns/name` or `peer/ns/name/target`. */
  readonly name: string
  /** Starts one exchange. Never throws: whatever goes wrong is told to the sink, possibly before this returns. */
  call(request: CallRequest, sink: CallSink): CallHandle
  /** A notification of the client's; fire and forget (its order within the session is kept, CARRIAGE section 6). */
  notify(notification: ClientNotification): void
  /** The northbound session ended; the target forgets it and tells the backend. */
  endSession(session: Session, reason: SessionEndReason): void
}

export interface CallRequest {
  readonly era: Era
  /** Absent in the modern era, and for a legacy request outside any session. */
  readonly session: Session | undefined
  readonly method: string
  /** The raw JSON token of the id, quotes included, exactly as written. */
  readonly idToken: Uint8Array
  /** One JSON text, octet for octet as the client wrote it (CARRIAGE section 3). */
  readonly octets: Uint8Array
  /** What scanning `octets` gave, where that was done already. */
  readonly message?: ScannedMessage | undefined
  readonly effect: Effect
  /** Lower-case names: `mcp-param-*`, `mcp-name`, what the route forwards. */
  readonly parameters: ServiceParameters
  /** UUIDv7 minted at the edge, for logs. */
  readonly requestId: string
}

export type Era = 'modern' | 'legacy'

/** 16 random octets minted by the near relay with `initialize`, plus what the two sides hang onto it. */
export interface Session {
  readonly key: Uint8Array
  /** Hex of `key`, for maps and logs. */
  readonly id: string
}

export interface ClientNotification {
  readonly era: Era
  readonly session: Session | undefined
  readonly method: string
  readonly octets: Uint8Array
  /** As of a request. */
  readonly message?: ScannedMessage | undefined
  readonly parameters: ServiceParameters
}

export interface CallSink {
  /**
   * A notification that belongs to this exchange, one JSON text. Answers 'wait' when the receiver is behind: the source
   * stops reading until `CallHandle.resume()`; the message itself has been taken.
   */
  notification(octets: Uint8Array): 'ok' | 'wait'
  /**
   * So many octets of the answer have been read by now and are not told yet; asked anew whenever that changes. Answers as
   * `notification` does. A sink without it takes answers of any size.
   */
  arriving?(octets: number): 'ok' | 'wait'
  /** The backend's own answer, result or error, octet for octet. Ends the exchange. */
  reply(reply: CallReply): void
  /** The exchange ended without an answer of the backend's. Ends the exchange. */
  fail(failure: CallFailure): void
}

export interface CallReply {
  readonly kind: 'result' | 'error'
  readonly octets: Uint8Array
  /** As of a request. */
  readonly message?: ScannedMessage | undefined
  /**
   * Of a large reply: gives back the memory that `octets` and `message` lie in, which are empty after it. Whoever takes the
   * reply may call it when it has no more use for them.
   */
  readonly release?: (() => void) | undefined
  /** The backend's HTTP status, where the leg knew one (CARRIAGE section 8). */
  readonly status: number | undefined
  readonly parameters: ServiceParameters
}

export interface CallHandle {
  /** The sink still gets its one end. */
  cancel(reason: CancelReason): void
  /** The sink that said 'wait' can take more. */
  resume(): void
}

/**
 * The client is gone or the deadline passed (CARRIAGE section 5). abandoned: nobody can take the answer any more, which
 * the legacy era does not call a cancel (digest 10 section 4): the call is broken off, and nothing is said about it.
 */
export type CancelReason = 'disconnect' | 'deadline' | 'abandoned'

/** CARRIAGE section 8: why there is no answer, in the terms of the edge. */
export interface CallFailure {
  readonly code: FailureCode
  /** A sentence for a person; no secrets, no peer-supplied text. */
  readonly message: string
  readonly outcome: Outcome
  /** What the person can do about it. */
  readonly hint?: string
  /** A backend's HTTP status to replay. */
  readonly status?: number
  readonly retryAfter?: string
}

export type FailureCode =
  | 'NotDelivered'
  | 'SafetyPolicy'
  | 'ApprovalRequired'
  | 'QuotaExceeded'
  | 'ProtocolUnsupported'
  | 'MethodUnsupported'
  | 'AuditUnavailable'
  | 'BackendAuthRequired'
  /** 413 at the edge: the frame is larger than the peer accepts. */
  | 'TooLarge'
  /** 404 at the edge. */
  | 'SessionLost'

export type SessionEndReason = 'client' | 'backend' | 'unknown' | 'idle' | 'policy'
