import { ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { EdgeContext } from './edge-context.ts'
import { type EdgeError, errorBody, statusOf } from './edge-error.ts'
import * as refusals from './refusals.ts'

type Shared = Pick<EdgeContext, 'limits' | 'logger' | 'metrics' | 'open' | 'requestIds'>

/** Answers what came in place of a request and is none to Node's parser, and closes the connection: nothing on it is sure. */
export function answerClientError(edge: Shared, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || !withdraw(edge, socket)) {
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
 * Takes back the request on this connection that has no answer yet: with a wrong Content-Length, what follows it was meant to
 * be its rest. False when it is with its target, or its answer has begun: whatever was said now would be taken for that.
 */
function withdraw({ open }: Shared, socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage')
  if (!(current instanceof ServerResponse)) return true
  if (current.headersSent) return false
  for (const { response } of open) if (response === current) return false
  // Its last octets are in; that they are the end of its body has not been told yet, and now never is.
  current.req.removeAllListeners('end')
  return true
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
