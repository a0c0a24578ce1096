import { TransportError } from '../http/transport-error.mjs'
import { isObject, NotAMessageError, readMessage, valueAt } from '../mcp/message.mjs'
import { POST_HEADERS, sessionHeaders } from '../mcp/request-headers.mjs'
import { RefusedError } from './failure.mjs'
import { listen } from './listen.mjs'
import { LegacySession } from './session.mjs'
import { discard, messagesOf, sendOk } from './wire.mjs'

/** @import { HttpReply, Message, RequestPart, ResponsePart } from '../contract.ts' */
/** @import { SharedParts } from './bridge.mjs' */
/** @import { OpenPost } from './open-requests.mjs' */

/** The legacy session: how it begins, is renewed behind the host's back when the server lost it, and ends. */
export class Sessions {
  /** @type {LegacySession | undefined} */
  #current
  /** @type {Message | undefined} */
  #initialize
  /** @type {Message | undefined} */
  #initialized
  /** @type {Promise<LegacySession> | undefined} */
  #renewal
  #parts

  /** @param {SharedParts} parts */
  constructor(parts) {
    this.#parts = parts
  }

  get current() {
    return this.#current
  }

  /** The session that is to be used, once a renewal under way is over. @returns {Promise<LegacySession | undefined>} */
  async ready() {
    // Who waited for a renewal that failed tries again and learns why by itself.
    await this.#renewal?.catch(() => {})
    return this.#current
  }

  /**
   * The response to the host's own `initialize` has begun.
   *
   * @param {OpenPost} post
   * @param {HttpReply} reply
   */
  begin(post, reply) {
    // A host that begins anew leaves the session that it had.
    this.end()
    const session = new LegacySession(sessionIdOf(reply))
    this.#initialize = post.message
    this.#initialized = undefined
    this.#current = session
    post.onAnswer = (_request, answer) => {
      if (isObject(answer.value.result)) session.version = versionIn(answer)
      else if (this.#current === session) this.#current = undefined
    }
  }

  /** The server has taken the host's `notifications/initialized`. @param {Message} message */
  opened(message) {
    this.#initialized = message
    if (this.#current !== undefined) this.#listen(this.#current)
  }

  /**
   * Replays what began the session, and nothing else, once for everybody who noticed the loss. Rejects with
   * TransportError or RefusedError.
   *
   * @param {LegacySession} lost
   * @returns {Promise<LegacySession>}
   */
  async renew(lost) {
    if (this.#current !== undefined && this.#current !== lost) return this.#current
    this.#renewal ??= this.#replay(lost).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  /** Tells the server that the session is over. Never rejects. */
  async end() {
    const session = this.#current
    session?.listening.abort()
    this.#current = undefined
    if (session?.id === undefined) return
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), DELETE_MS)
    try {
      const headers = sessionHeaders(session)
      const { body } = await this.#parts.transport.send({ method: 'DELETE', headers, signal: limit.signal })
      body.destroy()
    } catch {
      // The server is gone, or slow; it forgets the session by itself.
    } finally {
      clearTimeout(timer)
    }
  }

  /** @param {LegacySession} lost @returns {Promise<LegacySession>} */
  async #replay(lost) {
    const { transport, scope, log, inbound } = this.#parts
    const initialize = this.#initialize
    if (initialize === undefined || initialize.kind !== 'request')
      throw new TransportError('unknown', 'the server does not know the session')
    log('the server has lost the session; starting another one')
    const task = scope.begin(RENEWAL_MS)
    try {
      const post = { method: /** @type {const} */ ('POST'), signal: task.signal }
      const reply = await sendOk(transport, { ...post, headers: POST_HEADERS, body: initialize.octets })
      const session = new LegacySession(sessionIdOf(reply))
      const answer = await answerTo(initialize, reply)
      session.version = versionIn(answer)
      if (this.#initialized !== undefined) {
        const headers = { ...POST_HEADERS, ...sessionHeaders(session) }
        discard(await sendOk(transport, { ...post, headers, body: this.#initialized.octets }))
      }
      lost.listening.abort()
      await inbound.withdraw(lost)
      this.#current = session
      if (this.#initialized !== undefined) this.#listen(session)
      return session
    } catch (error) {
      throw error instanceof RefusedError || error instanceof TransportError
        ? error
        : new TransportError('unknown', `the session was lost and another one could not be had: ${error}`)
    } finally {
      task.close()
    }
  }

  /** @param {LegacySession} session */
  #listen(session) {
    listen(session, this.#parts, () => this.renew(session)).catch((error) =>
      this.#parts.log(`the stream of notifications has ended: ${error instanceof Error ? error.message : error}`),
    )
  }
}

/**
 * @param {RequestPart} request
 * @param {HttpReply} reply
 * @returns {Promise<ResponsePart>}
 */
async function answerTo(request, reply) {
  for await (const { data } of messagesOf(reply)) {
    const message = data.length === 0 ? undefined : readOrNothing(data)
    if (message?.kind !== 'response' || message.idKey !== request.idKey) continue
    discard(reply)
    if (isObject(message.value.result)) return message
    break
  }
  throw new TransportError('unknown', 'the server has lost the session and refuses another one')
}

/** @param {Buffer} octets @returns {Message | undefined} */
function readOrNothing(octets) {
  try {
    return readMessage(octets)
  } catch (error) {
    if (error instanceof NotAMessageError) return undefined
    throw error
  }
}

/** @param {HttpReply} reply @returns {string | undefined} */
function sessionIdOf(reply) {
  const id = reply.headers['mcp-session-id']
  return typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id) ? id : undefined
}

/** @param {ResponsePart} answer @returns {string | undefined} */
function versionIn(answer) {
  const version = valueAt(answer.value, ['result', 'protocolVersion'])
  return typeof version === 'string' && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined
}

const DELETE_MS = 1_000
const RENEWAL_MS = 30_000
