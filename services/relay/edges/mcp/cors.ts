import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { RouteCors } from '../../router/route.ts'
import { METHODS } from './methods.ts'

/** What pages on other origins may do here (the Fetch standard): origins that may are admitted before this is asked. */

const DEFAULT_MAX_AGE_SECONDS = 600
const MAX_NAMES_OCTETS = 4096

/** What a client reads of a response besides its body. */
const EXPOSED = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, Allow'
/** What MCP clients send, where a preflight does not say what the page will. */
const USUAL_HEADERS =
  'Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, Traceparent, Tracestate'

/** Lets the page at an admitted origin read the response, whatever it is. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', EXPOSED)
  response.setHeader('Vary', 'Origin')
}

/** Headers that answer OPTIONS, names and values in turn; a preflight of an admitted origin also learns what it may send. */
export function optionsHeaders(headers: IncomingHttpHeaders, cors: RouteCors | undefined): readonly string[] {
  const allow = ['Allow', METHODS]
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) return allow
  return [
    ...allow,
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Allow-Headers',
    requestedHeaders(headers['access-control-request-headers']),
    'Access-Control-Max-Age',
    String(cors?.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS),
  ]
}

/** The names of Mcp-Param-* are the tools' to choose, so a page may send what it asks for. */
function requestedHeaders(asked: string | string[] | undefined): string {
  if (typeof asked !== 'string' || asked.length > MAX_NAMES_OCTETS) return USUAL_HEADERS
  return /^[!#$%&'*+.^_`|~0-9a-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9a-z-]+)*$/i.test(asked) ? asked : USUAL_HEADERS
}
