import { ClosedError, IncompatibleError, LimitError, NpampError, OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../exchanges/contract.ts'

/** Why the bridge did not take a request; nothing was sent. Throws again what is no NpampError. */
export function notTaken(error: unknown): CallFailure {
  if (!(error instanceof NpampError)) throw error
  const outcome = OUTCOME.NOT_DELIVERED
  if (error instanceof ClosedError) return { code: 'NotDelivered', outcome, message: 'the association ended' }
  if (error instanceof IncompatibleError) {
    return { code: 'ProtocolUnsupported', outcome, message: 'the peer does not carry MCP' }
  }
  if (error instanceof LimitError && error.code === 'SEND_QUEUE_FULL') {
    return { code: 'QuotaExceeded', outcome, message: 'too much is waiting for this peer already', retryAfter: '1' }
  }
  if (error instanceof LimitError) return { code: 'TooLarge', outcome, message: error.message }
  return { code: 'NotDelivered', outcome, message: 'the request is no message that the mesh can carry' }
}
