import type { CallFailure } from '../../exchanges/contract.ts'
import type { ProcessEnd } from './process-end.ts'
import type { ServerMessage } from './server-message.ts'
import type { Asking } from './server-requests.ts'

/** A request that is open on a process. */
export interface OpenCall {
  /** Of its id. */
  readonly key: string
  readonly ended: boolean
  /** Of its `_meta.progressToken`. */
  readonly progressKey: string | undefined
  /** How the server can ask this call's client something; absent where it cannot. */
  readonly asking: Asking | undefined
  /** That a process ends on this request tells its era, and not that it is broken. */
  readonly endsByDiscovery: boolean
  notification(octets: Uint8Array): 'ok' | 'wait'
  arriving(octets: number): 'ok' | 'wait'
  reply(reply: ServerMessage): void
  processOver(end: ProcessEnd, unsent: CallFailure): void
  /** The process has said nothing for too long. */
  processSilent(failure: CallFailure): void
  /** Sends the notification, which names this request, and ends the call as cancelled. */
  cancelBy(notification: Uint8Array): void
  fail(failure: CallFailure): void
  /** The same, but only while nothing of the request has left. */
  failUnsent(failure: CallFailure): void
}
