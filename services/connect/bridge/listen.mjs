import { TransportError } from '../http/transport-error.mjs'
import { sessionHeaders } from '../mcp/request-headers.mjs'
import { mediaType, RefusedError } from './failure.mjs'
import { sleep } from './scope.mjs'
import { BrokenStreamError, messagesOf, sendOk } from './wire.mjs'

/** @import { HttpReply } from '../contract.ts' */
/** @import { SharedParts } from './bridge.mjs' */
/** @import { LegacySession } from './session.mjs' */

/**
 * Keeps the stream open on which a legacy server speaks unasked, taking it up again where it broke, for as long as the
 * session lasts. Resolves when the session is over or its server offers no such stream.
 *
 * @param {LegacySession} session
 * @param {SharedParts} parts
 * @param {() => Promise<unknown>} renew the server has lost the session
 */
export async function listen(session, parts, renew) {
  const { signal } = session.listening
  /** @type {string | undefined} */
  let lastEventId
  let retryMs = DEFAULT_RETRY_MS
  let failures = 0
  while (!signal.aborted) {
    try {
      const reply = await openStream(session, parts, lastEventId, signal)
      if (reply === undefined) return
      failures++
      for await (const event of messagesOf(reply)) {
        failures = 0
        lastEventId = event.lastEventId ?? lastEventId
        retryMs = event.retryMs ?? retryMs
        if (event.data.length > 0) await parts.inbound.take(event.data, { session, post: undefined }, parts.refuse)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RefusedError) {
        if (error.sessionLost && session.id !== undefined) {
          // On success the new session has a stream of its own, and this one is aborted.
          await renew().catch((reason) => parts.log(`no new session yet: ${reason.message}`))
        } else if (error.status === 400 && lastEventId !== undefined) {
          // What follows that event is held no more; what comes from now on is better than nothing.
          lastEventId = undefined
        } else if (error.status < 500 && !TRY_AGAIN.has(error.status)) {
          // 405 above all: the server has nothing to say unasked.
          return
        }
      } else if (!(error instanceof TransportError || error instanceof BrokenStreamError)) {
        throw error
      }
      failures++
    }
    await sleep(pauseMs(retryMs, failures), signal).catch(() => {})
  }
}

/**
 * @param {LegacySession | undefined} session
 * @param {SharedParts} parts
 * @param {string | undefined} lastEventId what was seen last of the stream that is wanted
 * @param {AbortSignal} signal
 * @returns {Promise<HttpReply | undefined>} undefined: the answer is no stream
 */
export async function openStream(session, { transport }, lastEventId, signal) {
  const headers = {
    accept: 'text/event-stream',
    ...sessionHeaders(session),
    ...(lastEventId !== undefined && { 'last-event-id': Buffer.from(lastEventId).toString('latin1') }),
  }
  const reply = await sendOk(transport, { method: 'GET', headers, signal })
  if (mediaType(reply.headers) === 'text/event-stream') return reply
  reply.body.destroy()
  return undefined
}

/**
 * How long to wait before asking for a stream again.
 *
 * @param {number} retryMs as the server wishes
 * @param {number} failures in a row
 * @returns {number}
 */
export function pauseMs(retryMs, failures) {
  const backoffMs = failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  return Math.max(LEAST_PAUSE_MS, retryMs, backoffMs)
}

/** Statuses below 500 that say nothing of the stream itself: a timeout, too early, too many requests. */
const TRY_AGAIN = new Set([408, 425, 429])

export const DEFAULT_RETRY_MS = 1_000
/** Whatever a server wishes. */
const LEAST_PAUSE_MS = 20
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000
