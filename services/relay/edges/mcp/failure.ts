import { OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../../exchanges/contract.ts'
import { type EdgeError, statusOf } from './edge-error.ts'
import { replayableStatus } from './reply-head.ts'

/** How an exchange that ended without the backend's answer looks to the client (CARRIAGE section 8). */
export function errorOfFailure(failure: CallFailure): EdgeError {
  const status = replayedStatus(failure)
  return {
    name: failure.code,
    message: failure.message,
    delivery: wasSent(failure) ? 'unknown' : 'not_sent',
    ...(status !== undefined && { status }),
    ...(failure.hint !== undefined && { hint: failure.hint }),
    ...(failure.retryAfter !== undefined && { retryAfter: failure.retryAfter }),
  }
}

/** A session that is lost did not take the call (CARRIAGE section 1); had it been taken before, the outcome would be unknown. */
function wasSent({ outcome }: CallFailure): boolean {
  return outcome !== OUTCOME.NOT_DELIVERED && outcome !== OUTCOME.SESSION_LOST
}

/** An HTTP error of the backend's that had no JSON-RPC body: its status, with the edge's own body. */
function replayedStatus(failure: CallFailure): number | undefined {
  const status = replayableStatus(failure.status)
  return status !== undefined && status >= 400 ? status : undefined
}

/** A client that sees 200 with an error on `server/discover` takes the server for one of the legacy era. */
export function forMethod(error: EdgeError, method: string): EdgeError {
  return method === 'server/discover' && statusOf(error) === 200 ? { ...error, status: 503 } : error
}

/** CARRIAGE section 4: the deadline passed; what became of the call is not known. */
export function deadlineError(timeoutMs: number): EdgeError {
  return {
    name: 'NotDelivered',
    message: `no answer and no notification for ${timeoutMs} ms (limits.requestTimeout of the route)`,
    delivery: 'unknown',
    hint: 'look whether the call took effect before it is made again',
  }
}

/** The relay is being stopped, and the call has run out of the time it had to end. */
export function stoppingError(): EdgeError {
  return {
    name: 'NotDelivered',
    message: 'the relay is stopping',
    delivery: 'unknown',
    hint: 'connect again; look whether the call took effect before it is made again',
  }
}

export function heldTooMuchError(limitOctets: number): EdgeError {
  return {
    name: 'NotDelivered',
    message: `the backend sent more than ${limitOctets} octets of notifications before its reply`,
    delivery: 'unknown',
  }
}

/** The client takes less than it is given; what waits for it is bounded (CARRIAGE section 7). */
export function slowClientError(limitOctets: number): EdgeError {
  return {
    name: 'NotDelivered',
    message: `more than ${limitOctets} octets of this answer waited for the client, which took them too slowly`,
    delivery: 'unknown',
    hint: 'read the stream faster; look whether the call took effect before it is made again',
  }
}
