import { idKey } from '../json/id-key.mjs'
import { NotAMessageError, readMessage, sliceAt, versionClaim } from '../mcp/message.mjs'
import { ToolHeaders } from '../mcp/tool-headers.mjs'
import { LineWriter } from '../stdio/line-writer.mjs'
import { LineReader } from '../stdio/lines.mjs'
import { exchange, isInitialize } from './exchange.mjs'
import { ownError } from './failure.mjs'
import { Inbound } from './inbound.mjs'
import { postOneWay } from './one-way.mjs'
import { OpenPost, OpenRequests, partsOf, requestsIn } from './open-requests.mjs'
import { Scope } from './scope.mjs'
import { Sessions } from './sessions.mjs'
import { MAX_MESSAGE_OCTETS } from './wire.mjs'

/** @import { ConnectIo, Message, NotificationPart } from '../contract.ts' */
/** @import { Transport } from '../http/transport.mjs' */

/**
 * What the parts of a bridge know of each other.
 *
 * @typedef {object} SharedParts
 * @property {Transport} transport
 * @property {Scope} scope
 * @property {OpenRequests} open
 * @property {Inbound} inbound
 * @property {ToolHeaders} tools
 * @property {(refusal: Buffer) => void} refuse answers a request of the server's
 * @property {(line: string) => void} log
 */

/** @typedef {SharedParts & { readonly sessions: Sessions }} BridgeParts */

/** Why a bridge has ended. `unanswered`: the input ended, and some requests had no answer in time. */
/** @typedef {'input ended' | 'unanswered' | 'stopped' | 'output gone'} Ending */

/** A host's messages over HTTP and back. */
export class Bridge {
  #io
  #writer
  /** @type {BridgeParts} */
  #parts
  /** @type {(ending: Ending) => void} */
  #end = () => {}
  /** @type {Promise<Ending>} */
  #ended
  /** @type {NodeJS.Timeout | undefined} */
  #lastAnswersTimer

  /** @param {Transport} transport @param {ConnectIo} io */
  constructor(transport, io) {
    this.#io = io
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#writer = new LineWriter(io.output, () => this.#end('output gone'))
    const open = new OpenRequests()
    const tools = new ToolHeaders()
    const log = io.log
    const inbound = new Inbound({ writer: this.#writer, open, tools, log })
    /** @type {SharedParts} */
    const shared = { transport, scope: new Scope(), open, inbound, tools, log, refuse: (line) => this.#refuse(line) }
    this.#parts = { ...shared, sessions: new Sessions(shared) }
  }

  /** Serves until the host is done; then nothing is left open. @returns {Promise<Ending>} */
  async run() {
    const { stop } = this.#io
    stop.addEventListener('abort', () => this.#end('stopped'))
    if (stop.aborted) this.#end('stopped')
    this.#serve().then(this.#end, (error) => {
      this.#io.log(`a defect: ${error instanceof Error ? error.stack : error}`)
      this.#end('unanswered')
    })
    const ending = await this.#ended
    clearTimeout(this.#lastAnswersTimer)
    this.#io.input.destroy()
    this.#parts.scope.end()
    await this.#parts.sessions.end()
    this.#parts.transport.close()
    return ending
  }

  /** @returns {Promise<Ending>} */
  async #serve() {
    const lines = new LineReader(this.#io.input, MAX_MESSAGE_OCTETS, () => {
      this.#lastAnswersTimer = setTimeout(() => this.#end('unanswered'), LAST_ANSWERS_MS)
    })
    for await (const line of lines) await this.#takeLine(line)
    await this.#parts.open.idle()
    return 'input ended'
  }

  /** @param {Buffer | undefined} line */
  async #takeLine(line) {
    if (line === undefined) {
      const why = `a message is longer than ${MAX_MESSAGE_OCTETS} octets`
      return this.#writer.write(ownError('null', 'InvalidRequest', 'not_sent', why))
    }
    try {
      await this.#takeMessage(readMessage(line))
    } catch (error) {
      if (!(error instanceof NotAMessageError)) throw error
      const code = error.code === -32700 ? 'ParseError' : 'InvalidRequest'
      await this.#writer.write(ownError('null', code, 'not_sent', error.message))
    }
  }

  /** Resolves when the next message may follow. @param {Message} message */
  async #takeMessage(message) {
    if (requestsIn(message).length > 0) return this.#takeRequests(message)
    const { inbound, sessions } = this.#parts
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      if (!this.#cancel(message)) return
    }
    const stale = partsOf(message).filter(
      (part) => part.kind === 'response' && !inbound.serverRequests.answered(part.idKey, sessions.current),
    )
    if (stale.length > 0) return this.#io.log('dropped an answer to a session that is gone')
    await postOneWay(message, this.#parts)
  }

  /** @param {Message} message */
  async #takeRequests(message) {
    const { open, scope } = this.#parts
    const requests = requestsIn(message)
    const clashes = open.clashes(message)
    if (clashes || open.size + requests.length > MAX_OPEN_REQUESTS) {
      for (const { idToken } of requests)
        await this.#writer.write(
          clashes
            ? ownError(idToken, 'InvalidRequest', 'not_sent', 'a request with this id is open')
            : ownError(idToken, 'QuotaExceeded', 'not_sent', `more than ${MAX_OPEN_REQUESTS} requests are open`),
        )
      return
    }
    const era = message.kind === 'request' && versionClaim(message) !== undefined ? 'modern' : 'legacy'
    const post = new OpenPost(message, era, scope.begin())
    open.add(post)
    const done = exchange(post, this.#parts)
    // What follows needs the session that this one opens.
    if (isInitialize(post)) await done
  }

  /**
   * @param {NotificationPart} notification
   * @returns {boolean} whether the server must be told: in the modern era a closed response tells it
   */
  #cancel(notification) {
    const id = sliceAt(notification.text, ['params', 'requestId'])
    const key = id !== undefined && /^["\d-]/.test(id) ? idKey(id) : undefined
    const post = key === undefined ? undefined : this.#parts.open.find(key)
    if (key === undefined || post === undefined) return this.#parts.sessions.current !== undefined
    if (post.era === 'modern') {
      post.task.abort()
      return false
    }
    if (post.waiting.delete(key)) post.cancelled.add(key)
    // A server need not answer what was cancelled, and some then leave the stream open.
    if (post.settled) setTimeout(() => post.task.abort(), CANCELLED_MS).unref()
    return true
  }

  /** @param {Buffer} line */
  #refuse(line) {
    postOneWay(readMessage(line), this.#parts)
  }
}

/** For the last answers after the host has closed our input. */
const LAST_ANSWERS_MS = 30_000
const MAX_OPEN_REQUESTS = 256
/** How long the answer to a cancelled request may still win. */
const CANCELLED_MS = 5_000
