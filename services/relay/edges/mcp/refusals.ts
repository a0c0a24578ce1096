import type { SessionsFull } from '../../sessions/session-table.ts'
import type { EdgeError } from './edge-error.ts'
import { PARAMETERS_LIMIT } from './parameters.ts'

/** What the edge refuses before a request reaches its target: nothing was sent, and every text names the way out. */

export function notHttp(): EdgeError {
  return refusal('InvalidRequest', 'this is no HTTP/1.1 request')
}

export function tooSlow(): EdgeError {
  return refusal('RequestTimeout', 'the request took too long to come')
}

export function headersTooLarge(limitOctets: number): EdgeError {
  return refusal(
    'HeadersTooLarge',
    `the headers are larger than ${limitOctets} octets (limits.maxHeaderBytes of the relay)`,
  )
}

export function expectationFailed(): EdgeError {
  return refusal('ExpectationFailed', 'no expectation but 100-continue is known here')
}

export function noHost(): EdgeError {
  return { ...refusal('Forbidden', 'the request has no Host'), status: 400 }
}

export function foreignHost(host: string | undefined): EdgeError {
  return refusal('Forbidden', `the Host ${quoted(host)} is not served here`, 'list it in listeners.mcp.allowedHosts')
}

export function severalHosts(): EdgeError {
  return { ...refusal('Forbidden', 'the request has more than one Host'), status: 400 }
}

export function foreignOrigin(origin: string | undefined): EdgeError {
  return refusal(
    'Forbidden',
    `the Origin ${quoted(origin)} is not served here`,
    'list it in spec.cors.allowedOrigins of the MeshRoute, or for all routes in listeners.mcp.allowedOrigins of the MeshRelay',
  )
}

export function noRoute(): EdgeError {
  return refusal('NoRoute', 'no route has this path')
}

export function certificateNeeded(): EdgeError {
  return refusal(
    'Forbidden',
    'this listener serves only clients with a certificate that it knows',
    'present a client certificate of the authority in listeners.mcp.tls.clientCAFile',
  )
}

/** `served`: the methods, as Allow has them. */
export function methodNotAllowed(served: string): EdgeError {
  return { ...refusal('MethodNotAllowed', `only ${served} is served here`), allow: served }
}

export function noEventStream(): EdgeError {
  return refusal('NotAcceptable', 'Accept must admit text/event-stream')
}

export function noSession(): EdgeError {
  return { ...refusal('InvalidRequest', 'the request names no session', 'send Mcp-Session-Id, as initialize gave it') }
}

/**
 * Nothing followed the event that Last-Event-ID names, and nothing will: in GET's only other answer than a stream, which
 * clients take for the end of it. Any other makes the common ones ask again.
 */
export function streamOver(): EdgeError {
  return { ...refusal('MethodNotAllowed', 'this stream is over'), allow: 'POST, DELETE, OPTIONS' }
}

/** Last-Event-ID names no event of this session, or nothing that could follow it is held any more. */
export function eventNotHeld(): EdgeError {
  return refusal(
    'InvalidRequest',
    'Last-Event-ID names no event of this session that can be gone on after',
    'open the stream without Last-Event-ID',
  )
}

export function tooManyPipelined(limit: number): EdgeError {
  return {
    ...refusal('QuotaExceeded', `${limit} requests wait on this connection for the one before them, a fixed limit`),
    status: 503,
    retryAfter: '5',
  }
}

export function tooManyStreams(limit: number): EdgeError {
  return {
    ...refusal('QuotaExceeded', `this session has its ${limit} streams open (limits.streamsPerSession)`),
    status: 503,
    retryAfter: '5',
  }
}

export function unsupportedMediaType(): EdgeError {
  return refusal('UnsupportedMediaType', 'the body must be application/json in UTF-8, without a content coding')
}

export function notAcceptable(): EdgeError {
  return refusal('NotAcceptable', 'Accept must admit both application/json and text/event-stream')
}

/** The smaller of the two limits is in force; `whose` it is. */
export function bodyTooLarge(limitOctets: number, whose: 'relay' | 'route'): EdgeError {
  return refusal('TooLarge', `the body is larger than ${limitOctets} octets (limits.maxBodyBytes of the ${whose})`)
}

export function tooMuchHeld(limitOctets: number): EdgeError {
  return {
    ...refusal('QuotaExceeded', `the bodies of all open requests are more than ${limitOctets} octets, a fixed limit`),
    status: 503,
    retryAfter: '5',
  }
}

export function tooManyParameters(): EdgeError {
  return refusal('HeadersTooLarge', `more than ${PARAMETERS_LIMIT}`)
}

export function notJson(why: string): EdgeError {
  return refusal('ParseError', `the body is not JSON: ${why}`)
}

export function invalidRequest(why: string): EdgeError {
  return refusal('InvalidRequest', `the body is not one JSON-RPC 2.0 message: ${why}`)
}

export function loneSurrogate(): EdgeError {
  return invalidRequest('method holds a lone surrogate')
}

export function batchesNotServed(): EdgeError {
  return invalidRequest('only revision 2025-03-26 has batches')
}

export function batchTooLong(limit: number): EdgeError {
  return invalidRequest(`a batch holds at most ${limit} messages, a fixed limit`)
}

export function idInUse(): EdgeError {
  return refusal('InvalidRequest', 'a request with an equal id is still open in this session')
}

export function headersDisagree(why: string): EdgeError {
  return refusal('HeaderMismatch', why)
}

/** MCP-044. Faults inside `_meta` are the backend's to find; that there is nothing to find it cannot see. */
export function revisionNotClaimed(): EdgeError {
  return refusal(
    'InvalidParams',
    'the header MCP-Protocol-Version names a revision that params._meta must name too',
    'set io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities in params._meta',
  )
}

/** CARRIAGE section 2; `status` is 404 in the modern era and 200 in the legacy one. */
export function methodTooLong(status: number): EdgeError {
  return { ...refusal('MethodNotFound', 'a method name has at most 255 octets'), status }
}

export function sessionUnknown(): EdgeError {
  return refusal('SessionLost', 'no such session', 'send initialize again, without Mcp-Session-Id')
}

export function tooManySessions({ full, limit }: SessionsFull): EdgeError {
  const whose = { route: 'route', ownLimit: 'route', principal: 'client' }[full]
  const name = {
    route: 'limits.sessionsPerRoute of the relay',
    ownLimit: 'limits.sessions of the route',
    principal: 'limits.sessionsPerPrincipal of the relay',
  }[full]
  return {
    ...refusal('QuotaExceeded', `this ${whose} has its ${limit} sessions open (${name})`),
    status: 503,
    retryAfter: '30',
  }
}

export function stopping(): EdgeError {
  return { ...refusal('NotDelivered', 'the relay is stopping', 'connect again'), status: 503, retryAfter: '5' }
}

function refusal(name: EdgeError['name'], message: string, hint?: string): EdgeError {
  return { name, message, delivery: 'not_sent', ...(hint !== undefined && { hint }) }
}

function quoted(value: string | undefined): string {
  return JSON.stringify((value ?? '').slice(0, 100))
}
