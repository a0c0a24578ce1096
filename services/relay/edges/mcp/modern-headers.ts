import type { IncomingHttpHeaders } from 'node:http'
import { findMember, jsonKind, type ScannedMessage, stringValue } from '@causeway/npamp'
import { decodeHeaderValue } from './header-value.ts'

/** The member of `params` that `Mcp-Name` repeats, by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/**
 * Where the headers of a modern message and its body disagree (MCP-051), as a sentence for the -32020 error; undefined when
 * they do not. `revision` is what the body claims. A notification needs no headers, but those it has must be true.
 */
export function headerMismatch(
  headers: IncomingHttpHeaders,
  message: ScannedMessage,
  revision: string,
): string | undefined {
  const needed = message.shape === 'request'
  return (
    mismatch('MCP-Protocol-Version', headers['mcp-protocol-version'], revision, needed) ??
    mismatch('Mcp-Method', headers['mcp-method'], message.method, needed) ??
    (needed ? mismatch('Mcp-Name', headers['mcp-name'], nameIn(message), true) : undefined)
  )
}

function mismatch(
  name: string,
  header: string | string[] | undefined,
  body: string | undefined,
  needed: boolean,
): string | undefined {
  // A body without the member is for the backend to judge.
  if (body === undefined) return undefined
  if (header === undefined) return needed ? `the header ${name} is missing` : undefined
  const value = typeof header === 'string' ? header : header.join(', ')
  const decoded = name === 'Mcp-Name' ? decodeHeaderValue(value) : value
  if (decoded === undefined) return `the header ${name} is malformed`
  return decoded === body ? undefined : `the header ${name} is not what the body says`
}

function nameIn(message: ScannedMessage): string | undefined {
  const member = NAMED_BY.get(message.method ?? '')
  const value = member && message.params && findMember(message.text, message.params, member)
  return value && jsonKind(message.text, value) === 'string' ? stringValue(message.text, value) : undefined
}
