import type { IncomingMessage } from 'node:http'
import { Gathered } from '../../octets/gathered.ts'
import type { BodyBudget } from './body-budget.ts'

/** What a client may still send after it was told that its body is refused, before its connection is cut. */
const LINGER_OCTETS = 64 * 1024 * 1024
/** So much of a body costs no more than the connection does, and is not counted. */
const FREE_OCTETS = 16 * 1024

export interface BodyReading {
  readonly limitOctets: number
  readonly budget: BodyBudget
  readonly onBody: (body: Uint8Array) => void
  readonly onTooLarge: () => void
  /** All bodies together are more than the budget. */
  readonly onNoRoom: () => void
}

/**
 * Reads one request body of at most `limitOctets`. Exactly one of the three is called, and none when the client goes away
 * first. A body is refused by its Content-Length before any of it is read, and while reading otherwise; the rest of it is
 * then read and thrown away, as a client that still sends would not see the answer.
 */
export function readBody(request: IncomingMessage, reading: BodyReading): void {
  const { limitOctets, budget, onBody, onTooLarge, onNoRoom } = reading
  const announced = request.headers['content-length']
  if (announced !== undefined && Number(announced) > limitOctets) {
    discard(request)
    onTooLarge()
    return
  }
  const body = new Gathered()
  let heldOctets = 0
  const release = (): void => {
    budget.release(heldOctets)
    heldOctets = 0
  }
  const hold = (octets: number): boolean => {
    if (!budget.take(octets)) return false
    if (heldOctets === 0) request.once('close', release)
    heldOctets += octets
    return true
  }
  const refuse = (tell: () => void): void => {
    request.off('data', onData)
    request.off('end', onEnd)
    release()
    discard(request)
    tell()
  }
  const onData = (chunk: Buffer): void => {
    if (body.octets + chunk.length > limitOctets) {
      refuse(onTooLarge)
      return
    }
    body.push(chunk)
    if (body.octets > FREE_OCTETS && !hold(body.octets - heldOctets)) refuse(onNoRoom)
  }
  const onEnd = (): void => {
    onBody(body.join())
    release()
  }
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
