import type { ScannedMessage, ScanOptions } from './jsonrpc/scan.ts'

/**
 * How the messages of one carriage class ride in Bridge frames. `outgoing*` throw MalformedError for what may not be sent;
 * `incoming*` throw it for what is EnvelopeMalformed.
 */
export interface CarriageRules {
  readonly contentType: number
  outgoingRequest(octets: Uint8Array, message: ScannedMessage | undefined, options: ScanOptions): OutgoingRequest
  outgoingNotification(octets: Uint8Array, message: ScannedMessage | undefined, options: ScanOptions): OutgoingMessage
  /** `requestId`: as in the request; undefined where that could not be read. */
  outgoingReply(
    kind: 'result' | 'error',
    octets: Uint8Array,
    message: ScannedMessage | undefined,
    requestId: Uint8Array | undefined,
    options: ScanOptions,
  ): Uint8Array
  /** Undefined where the text cannot be read at all: the endpoint's to answer, not ours to refuse. */
  incomingRequest(foreign: Uint8Array, method: string, options: ScanOptions): ScannedMessage | undefined
  incomingNotification(foreign: Uint8Array, method: string, options: ScanOptions): ScannedMessage
  incomingReply(
    kind: 'result' | 'error',
    foreign: Uint8Array,
    requestId: Uint8Array,
    options: ScanOptions,
  ): ScannedMessage
}

interface OutgoingMessage {
  /** What goes into the frame. */
  readonly foreign: Uint8Array
  /** For the envelope; at most 255 octets of UTF-8. */
  readonly method: string
}

interface OutgoingRequest extends OutgoingMessage {
  /** The correlation_id is derived from it and its reply is matched with it. */
  readonly idToken: Uint8Array
}
