import { TransportError } from '../http/transport-error.mjs'
import { modernHeaders, POST_HEADERS, sessionHeaders } from '../mcp/request-headers.mjs'
import { failureLine, RefusedError } from './failure.mjs'
import { DEFAULT_RETRY_MS, openStream, pauseMs } from './listen.mjs'
import { EndedError, sleep } from './scope.mjs'
import { BrokenStreamError, discard, messagesOf, sendOk } from './wire.mjs'

/** @import { HttpReply, ServerEvent } from '../contract.ts' */
/** @import { BridgeParts } from './bridge.mjs' */
/** @import { OpenPost } from './open-requests.mjs' */
/** @import { LegacySession } from './session.mjs' */

/**
 * Posts requests and shows the host what comes of them until each is answered, be it with an error of ours. Never
 * rejects.
 *
 * @param {OpenPost} post
 * @param {BridgeParts} parts
 */
export async function exchange(post, parts) {
  try {
    const { reply, session } = await (post.era === 'modern' ? postModern(post, parts) : postLegacy(post, parts))
    await follow(post, reply, session, parts)
  } catch (error) {
    if (!post.task.signal.aborted) await fail(post, error, parts)
  } finally {
    parts.open.remove(post)
  }
}

/** @typedef {{ readonly reply: HttpReply, readonly session: LegacySession | undefined }} Answering */

/** @param {OpenPost} post @param {BridgeParts} parts @returns {Promise<Answering>} */
async function postModern({ message, task }, { transport, tools }) {
  const headers = message.kind === 'request' ? modernHeaders(message, tools) : POST_HEADERS
  const reply = await sendOk(transport, { method: 'POST', headers, body: message.octets, signal: task.signal })
  return { reply, session: undefined }
}

/** @param {OpenPost} post @param {BridgeParts} parts @returns {Promise<Answering>} */
async function postLegacy(post, parts) {
  const { sessions } = parts
  if (isInitialize(post)) {
    const reply = await postIn(undefined, post, parts)
    sessions.begin(post, reply)
    return { reply, session: sessions.current }
  }
  const session = await sessions.ready()
  try {
    return { reply: await postIn(session, post, parts), session }
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.sessionLost || session?.id === undefined) throw error
    const renewed = await sessions.renew(session)
    // At most once: what may have been carried out in the old session is not asked for again.
    if (!error.mayBeSentAgain) throw error
    return { reply: await postIn(renewed, post, parts), session: renewed }
  }
}

/** @param {OpenPost} post @returns {boolean} */
export function isInitialize({ message, era }) {
  return era === 'legacy' && message.kind === 'request' && message.method === 'initialize'
}

/** @param {LegacySession | undefined} session @param {OpenPost} post @param {BridgeParts} parts */
function postIn(session, { message, task }, { transport }) {
  const headers = { ...POST_HEADERS, ...sessionHeaders(session) }
  return sendOk(transport, { method: 'POST', headers, body: message.octets, signal: task.signal })
}

/**
 * @param {OpenPost} post
 * @param {HttpReply} first
 * @param {LegacySession | undefined} session
 * @param {BridgeParts} parts
 */
async function follow(post, first, session, parts) {
  /** @type {Resumption} */
  const resumption = { lastEventId: undefined, retryMs: DEFAULT_RETRY_MS }
  let reply = first
  for (;;) {
    try {
      for await (const event of messagesOf(reply)) {
        note(resumption, event)
        if (event.data.length > 0) await parts.inbound.take(event.data, { session, post }, parts.refuse)
        if (post.settled && post.cancelled.size === 0) return discard(reply)
      }
    } catch (error) {
      if (!(error instanceof BrokenStreamError)) throw error
    }
    if (post.task.signal.aborted || post.settled) return
    if (post.era === 'modern' || resumption.lastEventId === undefined)
      throw new TransportError('unknown', 'the answer broke off; the server may have done what was asked')
    reply = await resume(post, session, resumption, parts)
  }
}

/** @typedef {{ lastEventId: string | undefined, retryMs: number }} Resumption */

/** @param {Resumption} resumption @param {ServerEvent} event */
function note(resumption, { lastEventId, retryMs }) {
  resumption.lastEventId = lastEventId ?? resumption.lastEventId
  resumption.retryMs = retryMs ?? resumption.retryMs
}

/**
 * The rest of a stream that ended early (CARRIAGE section 9).
 *
 * @param {OpenPost} post
 * @param {LegacySession | undefined} session
 * @param {Resumption} resumption
 * @param {BridgeParts} parts
 * @returns {Promise<HttpReply>}
 */
async function resume({ task }, session, { lastEventId, retryMs }, parts) {
  for (let failures = 0; ; failures++) {
    await sleep(pauseMs(retryMs, failures), task.signal)
    try {
      const reply = await openStream(session, parts, lastEventId, task.signal)
      if (reply !== undefined) return reply
      throw new TransportError('unknown', 'the answer broke off, and the server does not resume it')
    } catch (error) {
      const mayPass = error instanceof TransportError ? error.delivery === 'not_sent' : isServerTrouble(error)
      if (mayPass && failures < MAX_FAILURES) continue
      if (!(error instanceof RefusedError)) throw error
      // The next request would meet the loss anyway; the person need not wait for that.
      if (error.sessionLost && session?.id !== undefined) await parts.sessions.renew(session).catch(() => {})
      throw new TransportError('unknown', `the answer broke off and cannot be resumed (${error.status})`)
    }
  }
}

/** @param {unknown} error @returns {boolean} */
function isServerTrouble(error) {
  return error instanceof RefusedError && error.status >= 500
}

/** @param {OpenPost} post @param {unknown} error @param {BridgeParts} parts */
async function fail(post, error, { inbound, log }) {
  if (!(error instanceof RefusedError || error instanceof TransportError || error instanceof EndedError))
    log(`a defect: ${error instanceof Error ? error.stack : error}`)
  else if (!post.settled) log(error.message)
  for (const request of [...post.waiting.values()]) await inbound.answer(request, failureLine(request.idToken, error))
}

const MAX_FAILURES = 6
