import { type FailureInput, OUTCOME, TRANSPORT_ERROR } from '../index.ts'

/** How requests of the peer's end that no server here answers. */

const { METHOD_UNSUPPORTED, NOT_DELIVERED } = TRANSPORT_ERROR

/** A target that nobody here is, or not for this peer (CARRIAGE section 1). */
export const NO_TARGET: FailureInput = {
  code: METHOD_UNSUPPORTED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'no such target for this peer',
}

/** An edge answers 404 (CARRIAGE section 1). */
export const NO_SESSION: FailureInput = {
  code: NOT_DELIVERED,
  outcome: OUTCOME.SESSION_LOST,
  message: 'unknown session',
}

export const TOO_MANY_SESSIONS: FailureInput = {
  code: NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  reason: 3,
  message: 'this peer has too many sessions open here',
}

export const TOO_MUCH_WAITING: FailureInput = {
  code: NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  reason: 3,
  message: 'the server is not started and has too much waiting',
}

/** CARRIAGE section 5: the one reply that a cancelled request still gets. */
export const CANCELLED: FailureInput = { code: NOT_DELIVERED, outcome: OUTCOME.CANCELLED, message: 'cancelled' }

export const UNANSWERED: FailureInput = {
  code: NOT_DELIVERED,
  outcome: OUTCOME.UNKNOWN,
  message: 'the server closed without an answer',
}

export const CLIENT_GONE: FailureInput = {
  code: NOT_DELIVERED,
  outcome: OUTCOME.UNKNOWN,
  message: 'the client has closed its transport',
}
