import { findMember, isNullId, jsonKind, NpampError, type ScannedMessage, scanMessage } from '@causeway/npamp'
import type { CallReply, Era } from '../../exchanges/contract.ts'
import type { Head } from './answer.ts'
import { isHeaderText } from './respond.ts'

/** Status and headers for a reply that is the whole answer; `further` are headers of the edge's own, names and values in turn. */
export function headOfReply(reply: CallReply, era: Era, further: readonly string[]): Head {
  const headers = [...further]
  const retryAfter = reply.parameters.get('retry-after')
  if (retryAfter !== undefined && isHeaderText(retryAfter)) headers.push('Retry-After', retryAfter)
  return { status: statusOfReply(reply, era), headers }
}

/** The backend's where it is known, else by CARRIAGE section 8. */
function statusOfReply(reply: CallReply, era: Era): number {
  const replayed = replayableStatus(reply.status)
  if (replayed !== undefined) return replayed
  if (reply.kind === 'result') return 200
  const message = reply.message ?? scan(reply.octets)
  const idMissing = message?.idToken === undefined || isNullId(message.idToken)
  if (idMissing) return 400
  return era === 'modern' ? statusOfModernCode(message) : 200
}

/**
 * A status that a backend may set northbound. 401, 403 and 407 speak of credentials that are the relay's, not the
 * client's; a 3xx, 1xx, 204 and 205 have no body that would be read.
 */
export function replayableStatus(status: number | undefined): number | undefined {
  if (status === undefined || !Number.isInteger(status)) return undefined
  if (status === 401 || status === 403 || status === 407) return undefined
  if (status >= 400 && status <= 599) return status
  return status >= 200 && status <= 203 ? status : undefined
}

function statusOfModernCode(message: ScannedMessage): number {
  switch (errorCode(message)) {
    case '-32601':
      return 404
    case '-32020':
    case '-32021':
    case '-32022':
      return 400
    default:
      return 200
  }
}

function errorCode(message: ScannedMessage): string | undefined {
  const code = message.error && findMember(message.text, message.error, 'code')
  if (code === undefined || jsonKind(message.text, code) !== 'number') return undefined
  return Buffer.from(message.text.subarray(code.start, code.end)).toString('latin1')
}

/** A reply was scanned before it came here; should one ever not be, it is answered as one without id. */
function scan(octets: Uint8Array): ScannedMessage | undefined {
  try {
    return scanMessage(octets)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}
