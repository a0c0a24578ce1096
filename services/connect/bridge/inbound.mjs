import { idKey } from '../json/id-key.mjs'
import { isObject, NotAMessageError, readMessage, sliceAt } from '../mcp/message.mjs'
import { ownError, withId } from './failure.mjs'
import { partsOf } from './open-requests.mjs'
import { ServerRequests } from './server-requests.mjs'

/** @import { Message, MessagePart, RequestPart, ResponsePart } from '../contract.ts' */
/** @import { LineWriter } from '../stdio/line-writer.mjs' */
/** @import { ToolHeaders } from '../mcp/tool-headers.mjs' */
/** @import { OpenPost, OpenRequests } from './open-requests.mjs' */
/** @import { LegacySession } from './session.mjs' */

/** Which stream a server's message came on. */
/** @typedef {{ readonly session: LegacySession | undefined, readonly post: OpenPost | undefined }} Origin */

/** What servers say, on its way to the host. */
export class Inbound {
  serverRequests = new ServerRequests()
  #writer
  #open
  #tools
  #log

  /**
   * @param {object} parts
   * @param {LineWriter} parts.writer
   * @param {OpenRequests} parts.open
   * @param {ToolHeaders} parts.tools
   * @param {(line: string) => void} parts.log
   */
  constructor({ writer, open, tools, log }) {
    this.#writer = writer
    this.#open = open
    this.#tools = tools
    this.#log = log
  }

  /**
   * Shows a server's message to the host, or tells on standard error why not. Resolves when the host can take more.
   *
   * @param {Buffer} octets
   * @param {Origin} origin
   * @param {(refusal: Buffer) => void} refuse answers a request of the server's that is not shown
   */
  async take(octets, origin, refuse) {
    const message = this.#read(octets)
    if (message === undefined) return
    const { post } = origin
    const [only] = post?.waiting.values() ?? []
    if (message.kind === 'response' && message.idToken === 'null' && post?.waiting.size === 1 && only !== undefined) {
      // The server could not or did not say which request it means; it is the one that this stream belongs to.
      if (isObject(message.value.error)) return this.answer(only, withId(only.idToken, message))
    }
    const shown = partsOf(message).filter((part) => this.#admits(part, origin, refuse))
    if (shown.length > 0) await this.#writer.write(octets)
  }

  /**
   * Answers a request in the server's place.
   *
   * @param {RequestPart} request
   * @param {Buffer} line
   */
  async answer(request, line) {
    if (this.#open.settle(request.idKey) !== undefined) await this.#writer.write(line)
  }

  /**
   * Takes back, at the host, what a lost session asked.
   *
   * @param {LegacySession} session
   */
  async withdraw(session) {
    for (const idToken of this.serverRequests.of(session))
      await this.#writer.write(
        Buffer.from(
          `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idToken},"reason":"the session was lost"}}`,
        ),
      )
  }

  /** @param {Buffer} octets @returns {Message | undefined} */
  #read(octets) {
    try {
      return readMessage(octets)
    } catch (error) {
      if (!(error instanceof NotAMessageError)) throw error
      this.#log(`dropped what the server sent: ${error.message}`)
      return undefined
    }
  }

  /** @param {MessagePart} part @param {Origin} origin @param {(refusal: Buffer) => void} refuse @returns {boolean} */
  #admits(part, { session, post }, refuse) {
    switch (part.kind) {
      case 'response':
        return this.#settles(part)
      case 'notification':
        if (part.method === 'notifications/cancelled') {
          const id = sliceAt(part.text, ['params', 'requestId'])
          if (id !== undefined && /^["\d-]/.test(id)) this.serverRequests.cancelled(idKey(id))
        }
        return true
      case 'request':
        if (post?.era === 'modern') {
          this.#log(`dropped a request of the server, ${part.method}: in this revision servers ask nothing`)
          return false
        }
        if (this.serverRequests.add(part.idKey, part.idToken, session)) return true
        this.#log(`refused a request of the server, ${part.method}: its id is open, or too many are`)
        refuse(ownError(part.idToken, 'InvalidRequest', 'not_sent', 'a request with this id is open, or too many are'))
        return false
    }
  }

  /** @param {ResponsePart} part @returns {boolean} */
  #settles(part) {
    const settled = this.#open.settle(part.idKey)
    if (settled === undefined) {
      this.#log('dropped an answer that no open request waits for')
      return false
    }
    const { post, request } = settled
    if (request?.method === 'tools/list' && post.era === 'modern') this.#tools.learn(part)
    if (request !== undefined) post.onAnswer?.(request, part)
    return true
  }
}
