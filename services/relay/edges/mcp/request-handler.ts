import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '../../router/route.ts'
import { pathOf, type RouteTable } from '../../router/route-table.ts'
import type { Admission } from './admission.ts'
import { discard, readBody } from './body-reader.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import { AcceptHeader, isIdentity, isJson } from './media-types.ts'
import { Post } from './post.ts'
import * as refusals from './refusals.ts'
import { hostOf } from './request-host.ts'
import { sendRefusal } from './respond.ts'
import { traceIdOf } from './trace-id.ts'

/** `continue`: the client waits for 100 before it sends the body; `other`: for something that nobody here knows. */
type Expectation = 'none' | 'continue' | 'other'
type RequestHandler = (request: IncomingMessage, response: ServerResponse, expects: Expectation) => void

export function requestHandler(edge: EdgeContext, admission: Admission, routes: RouteTable): RequestHandler {
  const accept = new AcceptHeader()
  return (request, response, expects) => {
    const route = routes.find(pathOf(request.url ?? ''))
    const refusal = refusalOf(request, route, edge.stopping, admission, accept)
    if (refusal !== undefined) refuse(edge, request, response, refusal)
    else if (expects === 'other') refuse(edge, request, response, refusals.expectationFailed())
    else if (route !== undefined) {
      if (expects === 'continue') response.writeContinue()
      readPost(edge, route, request, response)
    }
  }
}

/** Everything that can be judged before a body is read, in the order of digest 10 section 1. */
function refusalOf(
  request: IncomingMessage,
  route: Route | undefined,
  stopping: boolean,
  admission: Admission,
  accept: AcceptHeader,
): EdgeError | undefined {
  const { headers } = request
  const host = hostOf(request)
  if (typeof host === 'object') return refusals.severalHosts()
  if (host === undefined && request.httpVersion === '1.1') return refusals.noHost()
  const fault = admission.fault(host, headers.origin)
  if (fault === 'host') return refusals.foreignHost(host)
  if (fault === 'origin') return refusals.foreignOrigin(headers.origin)
  if (route === undefined) return refusals.noRoute()
  // GET opens the stream of a legacy session and DELETE ends it: both come with server requests.
  if (request.method !== 'POST') return refusals.methodNotAllowed()
  if (stopping) return refusals.stopping()
  if (!isJson(headers['content-type']) || !isIdentity(headers['content-encoding']))
    return refusals.unsupportedMediaType()
  if (!accept.admitsBoth(headers.accept)) return refusals.notAcceptable()
  return undefined
}

function readPost(edge: EdgeContext, route: Route, request: IncomingMessage, response: ServerResponse): void {
  const post = new Post(edge, route, request, response)
  const limitOctets = Math.min(edge.limits.maxBodyOctets, route.limits.maxBodyOctets ?? Number.POSITIVE_INFINITY)
  readBody(request, {
    limitOctets,
    budget: edge.bodies,
    onBody: (body) => post.handle(body),
    onTooLarge: () => post.refuse(refusals.bodyTooLarge(limitOctets)),
    onNoRoom: () => post.refuse(refusals.tooMuchHeld(edge.bodies.limitOctets)),
  })
}

function refuse(edge: EdgeContext, request: IncomingMessage, response: ServerResponse, error: EdgeError): void {
  discard(request)
  sendRefusal(edge, response, error, {
    idToken: undefined,
    requestId: edge.requestIds.next(),
    traceId: traceIdOf(request.headers, undefined),
  })
}
