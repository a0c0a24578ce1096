import type {
  Outcome,
  RouteContext,
  SafetyLabel,
  ServiceParameters,
  TransportErrorCode,
  TransportFailure,
} from './contract.ts'
import type { ScannedMessage } from './jsonrpc/scan.ts'

/** A request of ours. The Bridge hands out one object per exchange and uses the same object in every event about it. */
export interface OutgoingExchange {
  readonly side: 'mine'
  readonly protocolId: number
  readonly correlationId: Uint8Array
  readonly method: string
  /** The raw JSON-RPC id token. */
  readonly idToken: Uint8Array
  /**
   * queued: not sent yet (CARRIAGE section 4). sent: taken for sealing. cancelled: sent, and a cancel was too; its reply may
   * still come. over: replied to, failed or withdrawn; no event about it will follow.
   */
  readonly state: 'queued' | 'sent' | 'cancelled' | 'over'
  /** Ordinal of its frame (AUDIT section 2); 0 while queued. */
  readonly ordinal: number
}

/** A request of the peer's, to be answered at most once by `respond` or `fail`. */
export interface IncomingExchange {
  readonly side: 'theirs'
  readonly protocolId: number
  readonly correlationId: Uint8Array
  /** Envelope method; equal to the member of a readable message. */
  readonly method: string
  /** The raw JSON-RPC id token; undefined where the message is not JSON. */
  readonly idToken: Uint8Array | undefined
  readonly label: SafetyLabel | undefined
  readonly route: RouteContext | undefined
  readonly ordinal: number
  /** cancelled: the peer asked to cancel; one reply is still owed (CARRIAGE section 5). */
  readonly state: 'open' | 'cancelled' | 'over'
}

export interface RequestInput {
  readonly protocolId: number
  /** One message of the protocol. Blanks around a JSON text are not sent. */
  readonly octets: Uint8Array
  /** What scanning `octets` gave, when the caller has done it already. */
  readonly message?: ScannedMessage
  /** Every request of ours carries one (digest 06 section 5.3). */
  readonly label: SafetyLabel
  /** Sent when the peer speaks it. */
  readonly route?: RouteContext
  /** Credentials and hop-by-hop names are left out and counted. */
  readonly parameters?: ServiceParameters
  readonly related?: OutgoingExchange | IncomingExchange
}

export interface NotificationInput {
  readonly protocolId: number
  readonly octets: Uint8Array
  readonly message?: ScannedMessage
  readonly route?: RouteContext
  /** The exchange it belongs to. Over already: the notification crosses without saying so. */
  readonly related?: OutgoingExchange | IncomingExchange
}

export interface ReplyInput {
  readonly kind: 'result' | 'error'
  readonly octets: Uint8Array
  readonly message?: ScannedMessage
  readonly parameters?: ServiceParameters
  /** The octets have been sealed and are not needed here any more; never, when they are not sent. */
  readonly onTaken?: (() => void) | undefined
}

export interface FailureInput {
  readonly code: TransportErrorCode
  /** Diagnostic; cut to 255 octets. No secrets, nothing a peer or backend supplied. */
  readonly message: string
  /** Default: NOT_DELIVERED for codes 2, 3 and 5, else UNKNOWN. */
  readonly outcome?: Outcome
  /** n stands for -33110 - n (CARRIAGE section 8); default 0, none. */
  readonly reason?: number
  readonly parameters?: ServiceParameters
}

/**
 * queued: it will be sent. replaced: it could not be sent (too large for the peer, or no fitting message) and a transport
 * error went in its place. dropped: the exchange was over already; counted.
 */
export type ReplyFate = 'queued' | 'replaced' | 'dropped'

/** withdrawn: it was never sent and is over now. sent: a cancel is on its way. over: nothing to cancel. */
export type CancelFate = 'withdrawn' | 'sent' | 'over'

export type BridgeEvent =
  | {
      readonly type: 'request'
      readonly exchange: IncomingExchange
      readonly octets: Uint8Array
      /** Undefined: not JSON at all, which is for the endpoint to answer, else fail it NotDelivered (digest 04 section 10). */
      readonly message: ScannedMessage | undefined
      /** Structure checked, credentials removed; the rest is still the peer's choice. */
      readonly parameters: ServiceParameters
      readonly related: OutgoingExchange | IncomingExchange | undefined
    }
  | {
      readonly type: 'notification'
      readonly protocolId: number
      readonly method: string
      readonly octets: Uint8Array
      readonly message: ScannedMessage
      readonly route: RouteContext | undefined
      readonly related: OutgoingExchange | IncomingExchange | undefined
    }
  /** The peer's cancel of one of its requests: stop the work, then answer once (real reply or outcome CANCELLED). */
  | {
      readonly type: 'cancel'
      readonly exchange: IncomingExchange
      readonly octets: Uint8Array
      readonly message: ScannedMessage
      readonly route: RouteContext | undefined
    }
  /** The foreign answer, result or error (RPC-016: never a transport failure). Ends the exchange. */
  | {
      readonly type: 'reply'
      readonly exchange: OutgoingExchange
      readonly kind: 'result' | 'error'
      readonly octets: Uint8Array
      readonly message: ScannedMessage
      /** Only `:status` and `retry-after`. */
      readonly parameters: ServiceParameters
      /** Of a large reply: gives back the memory that `octets` and `message` lie in; they are empty after it. */
      readonly release: (() => void) | undefined
    }
  /** No foreign answer. `by`: the peer said so, or this end found out. Ends the exchange. */
  | {
      readonly type: 'failed'
      readonly exchange: OutgoingExchange
      readonly failure: TransportFailure
      readonly by: 'peer' | 'local'
    }
  /** The association ended: nobody waits for this answer any more. Ends the exchange. */
  | { readonly type: 'abandoned'; readonly exchange: IncomingExchange }

/** Plain counters, read by metrics; never reset. */
export interface BridgeCounters {
  requestsSent: number
  requestsReceived: number
  repliesSent: number
  repliesReceived: number
  failuresSent: number
  failuresReceived: number
  notificationsSent: number
  notificationsReceived: number
  /** What was ignored or dropped without harm to anything else, by reason (`DropReason`). */
  readonly dropped: Map<DropReason, number>
}

export type DropReason =
  | 'unknown_frame_type'
  | 'stream_frame'
  | 'malformed_request'
  | 'malformed_reply'
  | 'malformed_notification'
  | 'unsupported_notification'
  | 'duplicate_correlation'
  | 'unknown_correlation'
  | 'late_reply'
  | 'early_reply'
  | 'unknown_cancel'
  | 'reply_after_end'
  | 'misplaced_extension'
  | 'parameter'
