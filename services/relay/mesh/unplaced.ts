import { OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../exchanges/contract.ts'
import { SESSION_LOST } from './failures.ts'

/** Why a call gets no association, or a server no answer of its client. */

const outcome = OUTCOME.NOT_DELIVERED
/** Of a call that was not sent: its session is nowhere, or where nothing new may begin. It may be made in another one. */
export const NO_SUCH_SESSION: CallFailure = { code: 'SessionLost', outcome, message: SESSION_LOST }
export const SESSION_GONE: CallFailure = { code: 'SessionLost', outcome: OUTCOME.SESSION_LOST, message: SESSION_LOST }
export const GIVEN_UP: CallFailure = {
  code: 'NotDelivered',
  outcome,
  message: 'the request was given up before it was sent',
}
export const STOPPING: CallFailure = { code: 'NotDelivered', outcome, message: 'the relay is stopping' }
/** `name`: `namespace/name`. */
export function noSuchPeer(name: string): CallFailure {
  return {
    code: 'NotDelivered',
    outcome,
    message: `peer ${name} is not configured on this relay`,
    hint: 'check that the MeshPeer exists and that its Programmed condition is True',
  }
}
export const TOO_MUCH_WAITS: CallFailure = {
  code: 'QuotaExceeded',
  outcome,
  message: 'too much waits for this peer already',
  retryAfter: '1',
}
export const NO_MORE_SESSIONS: CallFailure = {
  code: 'QuotaExceeded',
  outcome,
  message: 'as many sessions with this peer as limits.sessionsPerPeer allows are open',
}
export const CANNOT_NAME_TARGETS: CallFailure = {
  code: 'MethodUnsupported',
  outcome,
  message: 'this peer cannot be told a target',
  hint: 'leave target out of the MeshRoute',
}
export function tooManyServerRequests(limit: number): CallFailure {
  return {
    code: 'QuotaExceeded',
    outcome,
    message: `${limit} requests of this server wait for the answers of their client, a fixed limit`,
  }
}
export const NOBODY_TO_ASK: CallFailure = {
  code: 'NotDelivered',
  outcome,
  message: 'the peer cannot be told which client is asked, and it is not clear without',
}
export const NO_SERVER_REQUESTS: CallFailure = {
  code: 'MethodUnsupported',
  outcome,
  message: 'servers ask nothing in this era; they answer input_required',
}
