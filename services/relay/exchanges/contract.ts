import type { Effect, FailureCode, Outcome, ScannedMessage, ServiceParameters } from '@causeway/npamp'

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
  /**
   * Who calls, as far as this relay knows (ARCHITECTURE section 6): the subject of a client's certificate, a peer, or
   * `anonymous`, which is what absent means.
   */
  readonly principal?: string
}

export type Era = 'modern' | 'legacy'

/** 16 random octets minted by the near relay with `initialize`, plus what the two sides hang onto it. */
export interface Session {
  readonly key: Uint8Array
  /** Hex of `key`, for maps and logs. */
  readonly id: string
  /**
   * Who opened it: hears what the server says in it outside any call. The target keeps it from `initialize` on; the sessions
   * of later requests may be without it.
   */
  readonly client?: SessionClient | undefined
}

/** The client of a session, as its target speaks to it: what an edge shows on the GET stream of the legacy era. */
export interface SessionClient {
  /**
   * A notification of the server's that belongs to no call, one JSON text. 'wait': taken, and the receiver is behind; the
   * source stops reading until `onRoom` is called. A receiver that answers 'ok' never calls it.
   */
  notification(octets: Uint8Array, onRoom: () => void): 'ok' | 'wait'
  /** A request of the server's that belongs to no call. Never throws; what goes wrong is told to the sink. */
  request(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle
}

/** A request of the server's to the client: sampling, elicitation, roots, ping, or any that nobody here knows. */
export interface ServerRequest {
  readonly method: string
  /** The raw JSON token of the id: unique among the open requests of its session in this direction (CARRIAGE section 2). */
  readonly idToken: Uint8Array
  readonly octets: Uint8Array
  /** What scanning `octets` gave, where that was done already. */
  readonly message?: ScannedMessage | undefined
  readonly effect: Effect
}

/** Told exactly once how a request of the server's ended. */
export interface ServerRequestSink {
  /** The client's own answer, octet for octet. */
  reply(reply: ServerRequestReply): void
  /** There is none, and none will come. Outcome CANCELLED: the server cancelled it, and is told nothing. */
  fail(failure: CallFailure): void
}

export type ServerRequestReply = Pick<CallReply, 'kind' | 'octets' | 'message' | 'release'>

export interface ServerRequestHandle {
  /**
   * The server gave it up, or is gone. `own`: its `notifications/cancelled`, which the client gets as it was written. The
   * sink still gets its one end.
   */
  cancel(own?: { readonly octets: Uint8Array; readonly message?: ScannedMessage | undefined }): void
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
   * A request of the server's that belongs to this exchange (legacy era). One that is open when the exchange ends goes on.
   * A sink without it serves callers that no server may ask.
   */
  serverRequest?(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle
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
  /** For logs: how both relays name the call, where it was sent to a peer. */
  readonly exchange?: string
}

export type SessionEndReason = 'client' | 'backend' | 'unknown' | 'idle' | 'policy'
