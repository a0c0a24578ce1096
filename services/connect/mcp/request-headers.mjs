import { headerValue } from './header-value.mjs'
import { valueAt, versionClaim } from './message.mjs'

/** @import { RequestPart } from '../contract.ts' */
/** @import { ToolHeaders } from './tool-headers.mjs' */

/** What every POST carries. */
export const POST_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/**
 * What a modern request repeats of its body for those who do not read bodies (digest 10, section 1). What cannot be a
 * header is left out: the server then says what is wrong with the message.
 *
 * @param {RequestPart} request
 * @param {ToolHeaders} tools
 * @returns {Record<string, string>}
 */
export function modernHeaders(request, tools) {
  const version = versionClaim(request) ?? ''
  const member = NAMED_BY.get(request.method)
  const name = member === undefined ? undefined : valueAt(request.value, ['params', member])
  return {
    ...POST_HEADERS,
    ...(VISIBLE.test(version) && { 'mcp-protocol-version': version }),
    ...(VISIBLE.test(request.method) && { 'mcp-method': request.method }),
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
    ...(request.method === 'tools/call' && tools.headersOf(request)),
  }
}

/**
 * @param {{ readonly id: string | undefined, readonly version: string | undefined } | undefined} session of the legacy era
 * @returns {Record<string, string>}
 */
export function sessionHeaders(session) {
  return {
    ...(session?.id !== undefined && { 'mcp-session-id': session.id }),
    ...(session?.version !== undefined && { 'mcp-protocol-version': session.version }),
  }
}

const VISIBLE = /^[\x21-\x7e]{1,256}$/

/** Which member of the params is the name. */
const NAMED_BY = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])
