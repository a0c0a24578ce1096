import { type FailureInput, OUTCOME, type Outcome, TRANSPORT_ERROR } from '@causeway/npamp'

/** Why a request of a peer's never becomes an exchange here, as the peer is told. */
export type Refusal = FailureInput & { readonly outcome: Outcome }

export const UNKNOWN_TARGET: Refusal = {
  code: TRANSPORT_ERROR.METHOD_UNSUPPORTED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'no such target for this peer',
}
/** Of a server: nobody here could be given its request. */
export const NO_CLIENT: Refusal = {
  code: TRANSPORT_ERROR.METHOD_UNSUPPORTED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'no client that a server may ask',
}
export const NOT_JSON: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'not a JSON-RPC request',
}
/** CARRIAGE section 2: nobody could tell the answers apart. */
export const ID_IN_USE: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  message: 'a request with an equal id is open in this session',
}
export const TOO_MUCH: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.NOT_DELIVERED,
  reason: 3,
  message: 'this peer has too much open here',
}
/** CONTROL section 3. */
export const ONLY_READ_ONLY: Refusal = {
  code: TRANSPORT_ERROR.SAFETY_POLICY,
  outcome: OUTCOME.NOT_DELIVERED,
  reason: 1,
  message: 'the configuration of this relay is too old for anything that is not read_only',
}
export const UNKNOWN_SESSION: Refusal = {
  code: TRANSPORT_ERROR.NOT_DELIVERED,
  outcome: OUTCOME.SESSION_LOST,
  message: 'unknown session',
}
