import { findAt, isNullId, type ScannedMessage } from '../index.ts'
import type { JsonRpcMessage, RequestId } from './transport.ts'

/** These ends are JSON-RPC endpoints, not relays: here, and only here, messages are parsed and printed. */
export function print(message: JsonRpcMessage): Uint8Array {
  return Buffer.from(JSON.stringify(message))
}

/** Of a message that was scanned, so it parses. */
export function parse(octets: Uint8Array): JsonRpcMessage {
  return JSON.parse(Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString())
}

/** An answer under the id as its requester wrote it: `1.0` stays that, and so do digits that no number here holds. */
export function printReply(idToken: Uint8Array, { result, error }: JsonRpcMessage): Uint8Array {
  const body = error === undefined ? `,"result":${JSON.stringify(result ?? {})}}` : `,"error":${JSON.stringify(error)}}`
  return Buffer.concat([HEAD, idToken, Buffer.from(body)])
}

const HEAD = Buffer.from('{"jsonrpc":"2.0","id":')

/**
 * The id that an SDK gets for a token: a string or an integer that it can hold; another number as its text. Undefined for
 * null, which is no id of MCP.
 */
export function sdkId(idToken: Uint8Array): RequestId | undefined {
  if (isNullId(idToken)) return undefined
  const text = Buffer.from(idToken).toString()
  const value = JSON.parse(text) as RequestId
  return typeof value === 'string' || Number.isSafeInteger(value) ? value : text
}

/** A Map key that keeps `1` and `"1"` apart. */
export function keyOf(id: RequestId): string {
  return typeof id === 'number' ? `n${id}` : `s${id}`
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number'
}

/**
 * A request of the peer's as an SDK takes it. What the SDKs' own schema of a message refuses they drop without an answer, and
 * its sender would wait for ever; such a one is a fault instead, with the code of the error to answer.
 */
export function requestOf(
  octets: Uint8Array,
  idToken: Uint8Array,
): (JsonRpcMessage & { readonly id: RequestId }) | { readonly code: number; readonly fault: string } {
  const id = sdkId(idToken)
  if (id === undefined) return { code: -32600, fault: 'id is null' }
  const { method, params } = parse(octets)
  const fault = params === undefined ? undefined : paramsFault(params)
  if (fault !== undefined) return { code: -32602, fault }
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

function paramsFault(params: unknown): string | undefined {
  if (!isObject(params)) return 'params is not an object'
  const { _meta: meta } = params as { readonly _meta?: unknown }
  if (meta === undefined) return undefined
  if (!isObject(meta)) return 'params._meta is not an object'
  const { progressToken } = meta as { readonly progressToken?: unknown }
  const fits = progressToken === undefined || typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  return fits ? undefined : 'params._meta.progressToken is neither a string nor an integer'
}

/** Whether a request says itself that it is of revision 2026-07-28 or later (digest 10 section 3). */
export function claimsModern({ text, params }: ScannedMessage): boolean {
  return params !== undefined && findAt(text, params, '_meta', 'io.modelcontextprotocol/protocolVersion') !== undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
