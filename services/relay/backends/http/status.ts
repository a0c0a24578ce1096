import type { CallFailure } from '../../exchanges/contract.ts'
import { authenticationRequired, sessionLost, unknown } from './failures.ts'
import type { ResponseHeaders } from './post.ts'

/** What the status line and the headers of an answer to a request say about its body (CARRIAGE section 8). */
export type Reading =
  /** One JSON text; of an HTTP error when `httpError` is set. */
  | { readonly kind: 'json'; readonly httpError: boolean }
  | { readonly kind: 'sse'; readonly httpError: boolean }
  | { readonly kind: 'fail'; readonly failure: CallFailure }

/** @param inSession whether the request carried a session id of the backend's. */
export function readingOf(status: number, headers: ResponseHeaders, inSession: boolean): Reading {
  if (status === 401 || status === 403) return { kind: 'fail', failure: authenticationRequired(status) }
  if (status === 404 && inSession) return { kind: 'fail', failure: sessionLost() }
  if (status >= 300 && status < 400) return fail('the backend redirects', 'put the final URL into spec.mcp.url')
  if (status === 202 || status === 204) return fail('the backend accepted the request and did not answer it')
  if (!isPlain(headers)) return fail('the backend compressed its answer without being asked')
  const httpError = status >= 400
  const type = mediaType(headers)
  if (type === 'text/event-stream') return { kind: 'sse', httpError }
  // The body of an HTTP error is looked at whatever it calls itself: clients fall back on what it says.
  if (httpError || type === 'application/json') return { kind: 'json', httpError }
  return fail('the backend answered with something that is neither JSON nor an event stream')
}

/**
 * An HTTP error without a JSON-RPC error in it: the edge replays the status with an error of its own. In a session 404 means
 * that it is lost (`readingOf`); anywhere else it says that nothing is served at this URL.
 */
export function httpErrorFailure(status: number, headers: ResponseHeaders): CallFailure {
  const retryAfter = headerText(headers, 'retry-after')
  return unknown(`the backend answered with HTTP status ${status}`, {
    status,
    ...(status === 404 ? { hint: WRONG_URL } : {}),
    ...(retryAfter === '' ? {} : { retryAfter }),
  })
}

const WRONG_URL = "compare spec.mcp.url of the MeshBackend with the server's endpoint"

/** Whether the same GET may be answered with an event stream later. */
export function isTemporary(status: number): boolean {
  return (status >= 500 && status !== 501) || status === 408 || status === 409 || status === 425 || status === 429
}

/** Whether a GET was answered with the event stream that it asked for. */
export function isEventStream(status: number, headers: ResponseHeaders): boolean {
  return status === 200 && mediaType(headers) === 'text/event-stream' && isPlain(headers)
}

/** Of repeated headers the first. */
export function headerText(headers: ResponseHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

function isPlain(headers: ResponseHeaders): boolean {
  const encoding = headerText(headers, 'content-encoding').toLowerCase()
  return encoding === '' || encoding === 'identity'
}

function mediaType(headers: ResponseHeaders): string {
  return (headerText(headers, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase()
}

function fail(message: string, hint?: string): Reading {
  return { kind: 'fail', failure: unknown(message, hint === undefined ? {} : { hint }) }
}
