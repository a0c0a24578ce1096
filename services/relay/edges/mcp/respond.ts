import type { ServerResponse } from 'node:http'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, type ErrorContext, errorBody, statusOf } from './edge-error.ts'
import { sendWhole } from './outbox.ts'

type Shared = Pick<EdgeContext, 'clock' | 'limits' | 'metrics' | 'stopping'>

/** Sends a JSON text as the whole answer. `headers` are names and values in turn. */
export function sendJson(
  edge: Shared,
  response: ServerResponse,
  status: number,
  body: Uint8Array,
  headers: readonly string[] = [],
): void {
  edge.metrics.responded(status)
  const all = ['Content-Type', 'application/json', 'Content-Length', String(body.length), ...headers]
  response.writeHead(status, edge.stopping ? [...all, ...CLOSE] : all)
  sendWhole(response, body, {
    clock: edge.clock,
    stallMs: edge.limits.stallMs,
    onStall: () => response.destroy(),
  })
}

/** Sends an error of the edge's own as the whole answer. */
export function sendError(edge: Shared, response: ServerResponse, error: EdgeError, context: ErrorContext): void {
  const headers: string[] = []
  if (error.allow !== undefined) headers.push('Allow', error.allow)
  if (error.retryAfter !== undefined && isHeaderText(error.retryAfter)) headers.push('Retry-After', error.retryAfter)
  sendJson(edge, response, statusOf(error), errorBody(error, context), headers)
}

/** Sends an error that came before any exchange; its request id can be found in the log. */
export function sendRefusal(
  edge: Shared & Pick<EdgeContext, 'logger'>,
  response: ServerResponse,
  error: EdgeError,
  context: ErrorContext,
): void {
  const { requestId, traceId, client } = context
  // Whoever can reach the listener can cause these as fast as it likes: not at the default level.
  edge.logger.debug({ code: error.name, cause: error.message, requestId, traceId, client }, 'a request was refused')
  sendError(edge, response, error, context)
}

/** 202: the edge has taken a message that nobody answers. */
export function sendAccepted(edge: Shared, response: ServerResponse): void {
  sendEmpty(edge, response, 202)
}

/** A status without a body. `headers` are names and values in turn. */
export function sendEmpty(
  edge: Pick<Shared, 'metrics' | 'stopping'>,
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
): void {
  edge.metrics.responded(status)
  // RFC 9110 section 8.6: a 204 says nothing of its length.
  const all = status === 204 ? headers : [...EMPTY, ...headers]
  response.writeHead(status, edge.stopping ? [...all, ...CLOSE] : [...all])
  response.end()
}

const EMPTY = ['Content-Length', '0']
export const CLOSE: readonly string[] = ['Connection', 'close']

/** What a header may hold; a peer or a backend wrote it. */
export function isHeaderText(value: string): boolean {
  return /^[\x20-\x7e]{1,128}$/.test(value)
}
