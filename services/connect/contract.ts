import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'

/** The shapes that the rooms of this package share; types only, so that nothing here runs. */

/** One JSON-RPC message, or one element of a batch: what was written, and what it says. */
export type MessagePart = RequestPart | NotificationPart | ResponsePart

interface Part {
  /** From the first to the last character of its JSON text. */
  readonly text: string
  /** The same, parsed: to look into, never to print. */
  readonly value: Readonly<Record<string, unknown>>
}

export interface RequestPart extends Part {
  readonly kind: 'request'
  readonly method: string
  /** The id as it was written. */
  readonly idToken: string
  /** Equal for ids of equal type and value. */
  readonly idKey: string
}

export interface NotificationPart extends Part {
  readonly kind: 'notification'
  readonly method: string
}

export interface ResponsePart extends Part {
  readonly kind: 'response'
  /** `null` also where an error left it out. */
  readonly idToken: string
  readonly idKey: string
}

interface Batch {
  readonly kind: 'batch'
  readonly parts: readonly MessagePart[]
}

/** A message with the octets that pass on. */
export type Message = (MessagePart | Batch) & { readonly octets: Buffer }

/** Where the messages of the host come from and go to, and what ends it all. */
export interface ConnectIo {
  readonly input: Readable
  readonly output: Writable
  /** One line for people; never on the output. */
  log(line: string): void
  /** The process is told to stop. */
  readonly stop: AbortSignal
}

export interface ConnectOptions {
  readonly url: string
  /** `Name: value` each; `${VAR}` in the value stands for the environment's. */
  readonly headers: readonly string[]
  /** PEM: the only certificates that vouch for the server, in place of the system's. */
  readonly cacertFile: string | undefined
  /** PEM: what the server is told that we are, and the key of it; both or neither. */
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  readonly signal: AbortSignal
}

/** The head of a response, whose body is still to be read. */
export interface HttpReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
}

/** One event of a `text/event-stream`. */
export interface ServerEvent {
  /** The last id that the stream has told up to here. */
  readonly lastEventId: string | undefined
  /** How long to wait before asking for the stream again, when it said so with this event. */
  readonly retryMs: number | undefined
  /** Empty where the event carried no message. */
  readonly data: Buffer
}
