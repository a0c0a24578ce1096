import { OUTCOME, type Outcome } from '@causeway/npamp'
import type { CallFailure } from '../../exchanges/contract.ts'

/** Every way an exchange with an HTTP backend can end without an answer of the backend's (CARRIAGE sections 4, 5 and 8). */

/** Nothing of the request has left. */
export function notReached(error: Error): CallFailure {
  const cause = causeOf(error)
  return {
    code: 'NotDelivered',
    outcome: OUTCOME.NOT_DELIVERED,
    message: `the backend could not be reached: ${cause.text}`,
    hint: cause.hint ?? 'check that the backend runs and that spec.mcp.url of its MeshBackend is right',
  }
}

/** The request left, the answer did not come whole. */
export function lost(error: Error): CallFailure {
  return unknown(`the backend gave no whole answer: ${causeOf(error).text}`)
}

/** The request left, and not even the head of an answer came that the relay could take. */
export function unanswered(error: Error, { maxHeaderOctets }: { readonly maxHeaderOctets: number }): CallFailure {
  if (codeOf(error) !== 'UND_ERR_HEADERS_OVERFLOW') return lost(error)
  return unknown(
    `the headers of the answer are larger than ${maxHeaderOctets} octets (limits.maxHeaderBytes of the relay)`,
  )
}

export function unknown(
  message: string,
  extra: { hint?: string; status?: number; retryAfter?: string } = {},
): CallFailure {
  return { code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message, ...extra }
}

export function cancelled(): CallFailure {
  return { code: 'NotDelivered', outcome: OUTCOME.CANCELLED, message: 'the call was cancelled' }
}

export function sessionLost(): CallFailure {
  return {
    code: 'SessionLost',
    outcome: OUTCOME.SESSION_LOST,
    message: 'the backend no longer knows this session',
    hint: 'initialize again',
  }
}

/** The backend had taken the call before it forgot the session. */
export function sessionLostMeanwhile(): CallFailure {
  return { ...sessionLost(), outcome: OUTCOME.UNKNOWN, hint: 'initialize again; look whether the call took effect' }
}

export function refusedBeforeSending(message: string, hint?: string): CallFailure {
  return { code: 'QuotaExceeded', outcome: OUTCOME.NOT_DELIVERED, message, ...(hint === undefined ? {} : { hint }) }
}

export function tooManyRequests(limit: number): CallFailure {
  return refusedBeforeSending(
    `the backend has its ${limit} requests open (limits.maxConcurrency), and as many wait as may`,
    'try again later',
  )
}

export function tooManySessions(limit: number): CallFailure {
  return refusedBeforeSending(
    `the backend has its ${limit} sessions open (limits.sessionsPerRoute of its relay)`,
    'try again later',
  )
}

export function notJsonRpc(): CallFailure {
  return notSent('the request is no JSON-RPC message')
}

export function stopping(): CallFailure {
  return notSent('the relay is closing this backend')
}

export function notSent(message: string): CallFailure {
  return { code: 'NotDelivered', outcome: OUTCOME.NOT_DELIVERED, message }
}

export function authenticationRequired(status: 401 | 403, outcome: Outcome = OUTCOME.UNKNOWN): CallFailure {
  return {
    code: 'BackendAuthRequired',
    outcome,
    message: status === 401 ? 'the backend wants credentials' : 'the backend refuses the credentials it was given',
    hint:
      "put what the backend wants, such as an Authorization header, into spec.mcp.headers of its MeshBackend; a client's own" +
      ' credentials are never passed on',
  }
}

/** HTTP+SSE: nothing can be posted before the stream says where to. */
export function noEndpoint(why: string, status?: number): CallFailure {
  return {
    code: 'NotDelivered',
    outcome: OUTCOME.NOT_DELIVERED,
    message: `the backend opened no session over HTTP+SSE: ${why}`,
    hint: 'check spec.mcp.url and spec.mcp.transport of its MeshBackend: HTTPSSE is revision 2024-11-05 only',
    ...(status === undefined ? {} : { status }),
  }
}

/** HTTP+SSE knows neither the modern era nor requests outside sessions. The status is one that clients fall back on. */
export function httpSseOnly(): CallFailure {
  return {
    code: 'ProtocolUnsupported',
    outcome: OUTCOME.NOT_DELIVERED,
    message: 'the backend speaks HTTP+SSE of revision 2024-11-05, where every request belongs to a session',
    hint: 'initialize first; for clients of the modern era the backend must serve Streamable HTTP (spec.mcp.transport)',
    status: 400,
  }
}

interface Cause {
  readonly text: string
  readonly hint?: string
}

/** By the error's code only: messages may quote the peer. */
function causeOf(error: Error): Cause {
  const code = codeOf(error)
  return (
    CAUSES[code] ??
    (code.includes('CERT') || code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') ? TLS_FAILED : OTHER)
  )
}

const TLS_FAILED: Cause = {
  text: 'TLS could not be established',
  hint: "check the backend's certificate and that it serves TLS at this address",
}
const OTHER: Cause = { text: 'connection error' }

const CAUSES: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: { text: 'connection refused' },
  ECONNRESET: { text: 'connection reset' },
  EPIPE: { text: 'connection reset' },
  ENOTFOUND: { text: 'its name is unknown' },
  EAI_AGAIN: { text: 'its name could not be resolved' },
  EHOSTUNREACH: { text: 'no route to its host' },
  ENETUNREACH: { text: 'no route to its network' },
  ETIMEDOUT: { text: 'connecting took too long' },
  EPROTO: TLS_FAILED,
  DEPTH_ZERO_SELF_SIGNED_CERT: TLS_FAILED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TLS_FAILED,
  UND_ERR_CONNECT_TIMEOUT: { text: 'connecting took longer than limits.connectTimeout' },
  UND_ERR_HEADERS_TIMEOUT: { text: 'no answer began within limits.firstHeaderTimeout' },
  UND_ERR_SOCKET: { text: 'connection closed' },
  UND_ERR_HEADERS_OVERFLOW: { text: 'its headers are larger than limits.maxHeaderBytes of the relay' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { text: 'the body is not as long as announced' },
  HPE: { text: 'what it sent is not HTTP/1.1' },
  UND_ERR_DESTROYED: { text: 'the relay closed it' },
  UND_ERR_CLOSED: { text: 'the relay closed it' },
}

function codeOf(error: Error): string {
  // undici's parser leaves the code out now and then.
  if (error.name === 'HTTPParserError') return 'HPE'
  const code: unknown = 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return ''
  return code
}
