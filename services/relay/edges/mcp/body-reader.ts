import type { IncomingMessage } from 'node:http'
import { Gathered } from '../../octets/gathered.ts'

/** What a client may still send after it was told that its body is too large, before its connection is cut. */
const LINGER_OCTETS = 64 * 1024 * 1024

/**
 * Reads one request body of at most `limitOctets`. Exactly one of the two is called, and neither when the client goes away
 * first. A body is refused by its Content-Length before any of it is read, and while reading otherwise; the rest of it is
 * then read and thrown away, as a client that still sends would not see the answer.
 */
export function readBody(
  request: IncomingMessage,
  limitOctets: number,
  onBody: (body: Uint8Array) => void,
  onTooLarge: () => void,
): void {
  const announced = request.headers['content-length']
  if (announced !== undefined && Number(announced) > limitOctets) {
    discard(request)
    onTooLarge()
    return
  }
  const body = new Gathered()
  const onData = (chunk: Buffer): void => {
    if (body.octets + chunk.length <= limitOctets) {
      body.push(chunk)
      return
    }
    request.off('data', onData)
    request.off('end', onEnd)
    discard(request)
    onTooLarge()
  }
  const onEnd = (): void => onBody(body.join())
  request.on('data', onData)
  request.on('end', onEnd)
}

/** Throws away what is left of a body. */
export function discard(request: IncomingMessage): void {
  let octets = 0
  request.on('data', (chunk: Buffer) => {
    octets += chunk.length
    if (octets > LINGER_OCTETS) request.destroy()
  })
}
