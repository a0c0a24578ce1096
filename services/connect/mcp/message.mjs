import { idKey } from '../json/id-key.mjs'
import { elements, findAt } from '../json/text.mjs'

/** @import { Message, MessagePart } from '../contract.ts' */

/** Why octets are no message: `code` is the JSON-RPC error that the sender deserves. */
export class NotAMessageError extends Error {
  /** @param {-32700 | -32600} code @param {string} message */
  constructor(code, message) {
    super(message)
    this.name = 'NotAMessageError'
    this.code = code
  }
}

/**
 * Reads what must be read of one JSON-RPC message; `octets` is what goes on. Throws NotAMessageError.
 *
 * @param {Buffer} octets one JSON text
 * @returns {Message}
 */
export function readMessage(octets) {
  const text = decoded(octets)
  const value = parsed(text)
  if (!Array.isArray(value)) return { ...readPart(text, value), octets }
  if (value.length === 0) throw new NotAMessageError(-32600, 'the batch is empty')
  const parts = elements(text)
  return { kind: 'batch', octets, parts: parts.map((part, index) => readPart(part, value[index])) }
}

/** @param {Buffer} octets @returns {string} */
function decoded(octets) {
  try {
    // A byte order mark is kept, and is no JSON.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  } catch {
    throw new NotAMessageError(-32700, 'the message is not UTF-8')
  }
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotAMessageError(-32700, 'the message is not JSON')
  }
}

/** @param {string} text @param {unknown} value @returns {MessagePart} */
function readPart(text, value) {
  if (!isObject(value)) throw new NotAMessageError(-32600, 'the message is not an object')
  if (value.jsonrpc !== '2.0') throw new NotAMessageError(-32600, 'jsonrpc is not "2.0"')
  const { id, method } = value
  const hasId = Object.hasOwn(value, 'id')
  if (hasId && id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw new NotAMessageError(-32600, 'id is neither a string nor a number')
  const idToken = hasId ? sliceAt(text, ['id']) : undefined
  if (Object.hasOwn(value, 'method')) {
    if (typeof method !== 'string') throw new NotAMessageError(-32600, 'method is not a string')
    if (idToken === undefined) return { kind: 'notification', text, value, method }
    return { kind: 'request', text, value, method, idToken, idKey: idKey(idToken) }
  }
  if (!Object.hasOwn(value, 'result') && !Object.hasOwn(value, 'error'))
    throw new NotAMessageError(-32600, 'the message is neither request nor response')
  return { kind: 'response', text, value, idToken: idToken ?? 'null', idKey: idKey(idToken ?? 'null') }
}

/**
 * The value at `path` as it was written.
 *
 * @param {string} text
 * @param {readonly string[]} path
 * @returns {string | undefined}
 */
export function sliceAt(text, path) {
  const span = findAt(text, path)
  return span === undefined ? undefined : text.slice(span.start, span.end)
}

/**
 * The value at `path`, every step of which must be an object.
 *
 * @param {unknown} value
 * @param {readonly string[]} path
 * @returns {unknown}
 */
export function valueAt(value, path) {
  let at = value
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The revision that a modern message says it is written in; undefined in the legacy era, which says it in `initialize`.
 *
 * @param {MessagePart} message
 * @returns {string | undefined}
 */
export function versionClaim(message) {
  const claim = valueAt(message.value, ['params', '_meta', 'io.modelcontextprotocol/protocolVersion'])
  return typeof claim === 'string' ? claim : undefined
}
