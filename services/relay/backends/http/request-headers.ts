import { isUtf8 } from 'node:buffer'
import {
  findAt,
  isForbiddenParameter,
  jsonKind,
  type ScannedMessage,
  type ServiceParameters,
  scanMessage,
  stringValue,
} from '@causeway/npamp'
import type { Era } from '../../exchanges/contract.ts'
import { encodeHeaderValue, isHeaderValue } from './header-value.ts'

/** What a southbound session adds to the headers of each of its messages. */
export interface SessionHeaders {
  /** As the backend gave it; absent until it did, and for backends that give none. */
  readonly sessionId: string | undefined
  /** From the backend's initialize result; absent before it. */
  readonly protocolVersion: string | undefined
}

export interface OutgoingMessage {
  readonly era: Era
  readonly kind: 'request' | 'notification' | 'response'
  readonly octets: Uint8Array
  /** What scanning `octets` gave, where that was done already. */
  readonly message?: ScannedMessage | undefined
  readonly parameters: ServiceParameters
}

/**
 * The headers of one POST (digest 10 sections 1 and 4), names and values in turn. What the modern era repeats in headers is
 * generated from the body; of the caller's parameters only the named ones pass, each of the rest is told to `dropped`.
 */
export function requestHeaders(
  message: OutgoingMessage,
  session: SessionHeaders | undefined,
  acceptHeaders: ReadonlySet<string>,
  dropped: (name: string) => void,
): string[] {
  const headers = ['accept', 'application/json, text/event-stream', 'content-type', 'application/json']
  const generated = message.era === 'modern' ? modernHeaders(message) : sessionHeaders(session)
  headers.push(...generated)
  for (const [name, value] of message.parameters) {
    if (name === MCP_NAME && generated.includes(name)) continue
    const mcp = message.era === 'modern' && (name === MCP_NAME || isMcpParam(name))
    if ((mcp || acceptHeaders.has(name)) && !isForbidden(name) && isHeaderValue(value)) headers.push(name, value)
    else dropped(name)
  }
  return headers
}

/** The headers of a message inside a legacy session, whatever it is. */
export function sessionHeaders(session: SessionHeaders | undefined): string[] {
  const headers: string[] = []
  if (session?.sessionId !== undefined) headers.push('mcp-session-id', session.sessionId)
  // 2025-06-18 is the first revision with the header; its revisions are dates and sort as text.
  const version = session?.protocolVersion
  if (version !== undefined && version >= '2025-06-18' && isHeaderValue(version))
    headers.push(PROTOCOL_VERSION, version)
  return headers
}

/**
 * The headers of `spec.mcp.headers` that go with every request, names and values in turn; each that this relay writes itself,
 * or that no header can carry, is told to `refused`.
 */
export function ownHeaders(headers: ReadonlyMap<string, string>, refused: (name: string) => void): string[] {
  const sent: string[] = []
  for (const [name, value] of headers) {
    if (isToken(name) && !isWrittenHere(name) && isHeaderValue(value)) sent.push(name, value)
    else refused(name)
  }
  return sent
}

const MCP_NAME = 'mcp-name'
const PROTOCOL_VERSION = 'mcp-protocol-version'
const VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Where `Mcp-Name` comes from (digest 10 section 1). */
const NAME_SOURCE: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

function modernHeaders(message: OutgoingMessage): string[] {
  const headers: string[] = []
  const scanned = message.message ?? scanMessage(message.octets, { isUtf8 })
  const version = stringAt(scanned, '_meta', VERSION_META_KEY)
  // A claim that no header can carry goes without one: the backend says what is wrong with it.
  if (version !== undefined && version !== '' && isHeaderValue(version)) headers.push(PROTOCOL_VERSION, version)
  // Headers on notifications are not defined.
  if (message.kind !== 'request' || scanned.method === undefined) return headers
  headers.push('mcp-method', encodeHeaderValue(scanned.method))
  const source = Object.hasOwn(NAME_SOURCE, scanned.method) ? NAME_SOURCE[scanned.method] : undefined
  const name = source === undefined ? undefined : stringAt(scanned, source)
  if (name !== undefined) headers.push(MCP_NAME, encodeHeaderValue(name))
  return headers
}

/** The string at a path below `params`; undefined where there is none, or anything else. */
function stringAt(message: ScannedMessage, ...path: readonly string[]): string | undefined {
  const { text, params } = message
  const span = params === undefined ? undefined : findAt(text, params, ...path)
  return span !== undefined && jsonKind(text, span) === 'string' ? stringValue(text, span) : undefined
}

function isMcpParam(name: string): boolean {
  return name.startsWith('mcp-param-') && isToken(name)
}

function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)
}

/** Credentials are what the headers of a MeshBackend are for; all else that a caller may not set, they may not either. */
function isWrittenHere(name: string): boolean {
  return isForbidden(name) && !CREDENTIALS.has(name)
}

/** Whatever a MeshBackend lists; mesh-api refuses a backend that lists one of these. */
function isForbidden(name: string): boolean {
  return isForbiddenParameter(name) || OWN.has(name) || name.startsWith('proxy-') || name.startsWith(':')
}

const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** What this relay says itself, and what is between it and the backend. */
const OWN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'expect',
  'last-event-id',
  'mcp-method',
  PROTOCOL_VERSION,
])
