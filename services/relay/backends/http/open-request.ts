import type { CallFailure, ServerRequest, ServerRequestHandle, ServerRequestSink } from '../../exchanges/contract.ts'
import type { ReplyMessage } from './message.ts'

/** A request that is open in a session. */
export interface OpenRequest {
  readonly idToken: Uint8Array
  /** It is the `initialize` that opens the session. */
  readonly opening: boolean
  /** Of the token that it wants its progress told under. */
  readonly progressKey: string | undefined
  /** Its answer, which came on the stream of the session. */
  takeReply(message: ReplyMessage): void
  /** What belongs to it, likewise. 'wait': the session's `resumeStream` follows. */
  takeNotification(octets: Uint8Array): 'ok' | 'wait'
  /** Puts a request of the server's to the client where this one was made; undefined where nobody can be asked. */
  ask(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle | undefined
  /** Sends the notification, which names this request, and ends the exchange as cancelled. */
  cancelBy(notification: Uint8Array): void
  fail(failure: CallFailure): void
  /** The same, but only while nothing of the request has left. */
  failUnsent(failure: CallFailure): void
}
