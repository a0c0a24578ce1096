import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, errorBody, statusOf } from './edge-error.ts'
import * as refusals from './refusals.ts'

type Shared = Pick<EdgeContext, 'limits' | 'logger' | 'metrics' | 'requestIds'>

/** Answers what came in place of a request and is none to Node's parser, and closes the connection: nothing on it is sure. */
export function answerClientError(edge: Shared, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || owesAnswer(socket)) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error, edge.limits.maxHeaderOctets)
  const status = statusOf(refusal)
  const requestId = edge.requestIds.next()
  const body = errorBody(refusal, { idToken: undefined, requestId, traceId: undefined })
  edge.metrics.responded(status)
  edge.logger.debug({ code: refusal.name, cause: refusal.message, requestId }, 'a request was refused')
  socket.end(Buffer.concat([headOf(status, body.length), body]), () => socket.destroy())
}

/**
 * Whether a whole request waits for the end of its answer on this connection: whatever was said now would be taken for that
 * answer, or for its rest.
 */
function owesAnswer(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage')
  return current instanceof ServerResponse && (current.headersSent || current.req.complete)
}

function refusalOf({ code }: NodeJS.ErrnoException, maxHeaderOctets: number): EdgeError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusals.headersTooLarge(maxHeaderOctets)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusals.tooSlow()
    default:
      return refusals.notHttp()
  }
}

function headOf(status: number, bodyOctets: number): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${bodyOctets}`,
    'Connection: close',
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}
