import { FAILURE_CODE, OUTCOME } from '@causeway/npamp'
import type { CallFailure } from './contract.ts'

/** What a server hears instead of the client's answer to its request (CARRIAGE section 8). `idToken` stands in it as it came. */
export function failureBody(idToken: Uint8Array, failure: CallFailure): Uint8Array {
  const { code, message, outcome, hint } = failure
  const delivery = outcome === OUTCOME.NOT_DELIVERED ? 'not_sent' : 'unknown'
  return errorBody(idToken, FAILURE_CODE[code], message, { code, delivery, hint })
}

/** CARRIAGE section 2: a request whose id is one of another that is still open in its session and direction. */
export function idInUseBody(idToken: Uint8Array): Uint8Array {
  const message = 'a request with this id is open in this session'
  return errorBody(idToken, -32600, message, { code: 'InvalidRequest', delivery: 'not_sent' })
}

function errorBody(idToken: Uint8Array, code: number, message: string, causeway: object): Uint8Array {
  const error = JSON.stringify({ code, message, data: { causeway } })
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), idToken, Buffer.from(`,"error":${error}}`)])
}
