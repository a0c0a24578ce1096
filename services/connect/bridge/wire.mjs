import { BodyError, readBody, readEvents } from '../http/event-stream.mjs'
import { TransportError } from '../http/transport-error.mjs'
import { mediaType, RefusedError } from './failure.mjs'

/** @import { HttpReply, HttpRequest, ServerEvent } from '../contract.ts' */
/** @import { Transport } from '../http/transport.mjs' */

/** Of one message, either way. */
export const MAX_MESSAGE_OCTETS = 16 * 1024 * 1024

/**
 * Sends, and rejects with RefusedError unless the status is one of success; else like `Transport.send`.
 *
 * @param {Transport} transport
 * @param {HttpRequest} request
 * @returns {Promise<HttpReply>}
 */
export async function sendOk(transport, request) {
  const reply = await transport.send(request)
  if (reply.status >= 200 && reply.status < 300) return reply
  const body = await readBody(reply.body, MAX_MESSAGE_OCTETS).catch(() => Buffer.alloc(0))
  if (request.signal.aborted) throw request.signal.reason
  throw new RefusedError(transport.place, reply.status, body)
}

/**
 * The messages of a response as they come, JSON or events. Throws TransportError when it breaks off or holds no
 * messages at all.
 *
 * @param {HttpReply} reply
 * @returns {AsyncGenerator<ServerEvent, void>}
 */
export async function* messagesOf(reply) {
  try {
    switch (mediaType(reply.headers)) {
      case 'application/json':
        yield { data: await readBody(reply.body, MAX_MESSAGE_OCTETS), lastEventId: undefined, retryMs: undefined }
        return
      case 'text/event-stream':
        yield* readEvents(reply.body.iterator({ destroyOnReturn: false }), MAX_MESSAGE_OCTETS)
        return
    }
  } catch (error) {
    // What a reader of these throws is not ours to judge: it never comes through here.
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof BodyError) throw new TransportError('unknown', why)
    throw new BrokenStreamError(`the answer broke off: ${why}`)
  }
  throw new TransportError('unknown', `the server answered ${reply.status} without a message`)
}

/** A stream has ended before its time; its events may be had again. */
export class BrokenStreamError extends Error {}

/**
 * Lets the rest of a response go, so that its connection can serve again; not for long.
 *
 * @param {HttpReply} reply
 */
export function discard({ body }) {
  const timer = setTimeout(() => body.destroy(), DISCARD_MS)
  body.once('close', () => clearTimeout(timer))
  body.resume()
}

const DISCARD_MS = 1_000
