import { TransportError } from '../http/transport-error.mjs'
import { isObject, NotAMessageError, readMessage, sliceAt, valueAt } from '../mcp/message.mjs'

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { Message, ResponsePart } from '../contract.ts' */

/** What this program itself answers: product codes outside every range that MCP uses (CARRIAGE section 8). */
const CODES = {
  NotDelivered: -33110,
  QuotaExceeded: -33113,
  BackendAuthRequired: -33117,
  ParseError: -32700,
  InvalidRequest: -32600,
}

/**
 * A JSON-RPC error of our own, recognised by `data.causeway`.
 *
 * @param {string} idToken as it was written; `null` where nobody knows it
 * @param {keyof typeof CODES} code
 * @param {'not_sent' | 'unknown'} delivery
 * @param {string} message what happened and what to do
 * @returns {Buffer}
 */
export function ownError(idToken, code, delivery, message) {
  const error = { code: CODES[code], message, data: { causeway: { code, delivery } } }
  return Buffer.from(`{"jsonrpc":"2.0","id":${idToken},"error":${JSON.stringify(error)}}`)
}

/** The server answered with an HTTP status that is none of success, and this is all of it. */
export class RefusedError extends Error {
  /**
   * @param {string} place
   * @param {number} status
   * @param {Buffer} body
   */
  constructor(place, status, body) {
    const error = errorIn(body)
    super(wantsCertificate(status, error) ? certificateWanted(place) : explain(place, status))
    this.name = 'RefusedError'
    this.status = status
    /** The JSON-RPC error in the body, if there is one. */
    this.error = error
  }

  /**
   * Whether the session is gone: 404, or a 400 whose error belongs to no request (CARRIAGE section 8). A relay says of its
   * own errors what they are, and its 404 is the only one that means this.
   */
  get sessionLost() {
    if (this.status === 404) return true
    return this.status === 400 && this.error?.idToken === 'null' && this.#causeway('code') === undefined
  }

  /** Whether the request certainly reached nobody who would have carried it out. */
  get mayBeSentAgain() {
    return this.sessionLost && this.#causeway('delivery') !== 'unknown'
  }

  /** @param {string} member */
  #causeway(member) {
    return valueAt(this.error?.value, ['error', 'data', 'causeway', member])
  }
}

/** @param {Buffer} body @returns {(Message & ResponsePart) | undefined} */
function errorIn(body) {
  try {
    const message = readMessage(body)
    return message.kind === 'response' && isObject(message.value.error) ? message : undefined
  } catch (error) {
    if (error instanceof NotAMessageError) return undefined
    throw error
  }
}

/**
 * Whether a relay of ours refuses whoever shows no certificate; no header helps then.
 *
 * @param {number} status
 * @param {ResponsePart | undefined} error
 * @returns {boolean}
 */
function wantsCertificate(status, error) {
  const hint = valueAt(error?.value, ['error', 'data', 'causeway', 'hint'])
  return status === 403 && typeof hint === 'string' && hint.includes('client certificate')
}

/** @param {string} place @returns {string} */
function certificateWanted(place) {
  return `${place} serves only clients with a certificate that it knows (403); give yours with --cert FILE and --key FILE`
}

/** @param {string} place @param {number} status @returns {string} */
function explain(place, status) {
  switch (status) {
    case 301:
    case 302:
    case 303:
      return `${place} redirects elsewhere (${status}); check the URL`
    case 401:
      return `${place} wants credentials (401); give them with --header "Authorization: Bearer \${TOKEN}"`
    case 403:
      return `${place} refuses these credentials, or this client (403); check --header`
    case 404:
      return `nothing is served at ${place} (404); check the URL`
    case 405:
      return `${place} takes no POST (405); check the URL, it must be one of Streamable HTTP`
    case 407:
      return `the proxy wants credentials (407); put them into HTTP_PROXY`
    case 413:
      return `the message is longer than ${place} takes (413)`
    case 429:
    case 503:
      return `${place} is busy (${status}); try again later`
    case 502:
    case 504:
      return `${place} does not reach its server (${status}); is that running?`
    default:
      return `${place} answered with HTTP status ${status}`
  }
}

/**
 * The line that answers a request which failed so. The server's own error goes on as it was written; where it leaves the
 * id open, with the id of the request, without which a stdio client would wait for ever.
 *
 * @param {string} idToken
 * @param {unknown} failure
 * @returns {Buffer}
 */
export function failureLine(idToken, failure) {
  if (failure instanceof RefusedError) {
    const { error, status, message } = failure
    if (error !== undefined) return error.idToken === 'null' ? withId(idToken, error) : error.octets
    const code = status === 401 || status === 403 ? 'BackendAuthRequired' : 'NotDelivered'
    return ownError(idToken, code, 'unknown', message)
  }
  const delivery = failure instanceof TransportError ? failure.delivery : 'unknown'
  return ownError(idToken, 'NotDelivered', delivery, failure instanceof Error ? failure.message : String(failure))
}

/**
 * A server's error under the id of the request that it belongs to.
 *
 * @param {string} idToken
 * @param {ResponsePart} response
 * @returns {Buffer}
 */
export function withId(idToken, response) {
  return Buffer.from(`{"jsonrpc":"2.0","id":${idToken},"error":${sliceAt(response.text, ['error'])}}`)
}

/**
 * @param {IncomingHttpHeaders} headers
 * @returns {string} the media type, without parameters
 */
export function mediaType(headers) {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  return type.trim().toLowerCase()
}
