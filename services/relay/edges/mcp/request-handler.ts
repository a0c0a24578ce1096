import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '../../router/route.ts'
import { pathOf } from '../../router/route-table.ts'
import type { Admission } from './admission.ts'
import { discard, readBody } from './body-reader.ts'
import { allowOrigin, optionsHeaders } from './cors.ts'
import type { Place } from './delivery.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import { AcceptHeader, isIdentity, isJson } from './media-types.ts'
import { METHODS } from './methods.ts'
import { MAX_PIPELINED, Pipelines } from './pipelines.ts'
import { Post } from './post.ts'
import { ANONYMOUS, Principals } from './principal.ts'
import type { TrustedProxies } from './proxies.ts'
import * as refusals from './refusals.ts'
import { hostOf } from './request-host.ts'
import { sendEmpty, sendRefusal } from './respond.ts'
import { endSession, openStream } from './session-requests.ts'
import { traceIdOf } from './trace-id.ts'

/** `continue`: the client waits for 100 before it sends the body; `other`: for something that nobody here knows. */
type Expectation = 'none' | 'continue' | 'other'

export interface Doorkeeping {
  readonly admission: Admission
  readonly proxies: TrustedProxies
  /** Only clients with a certificate that the listener's authority has signed are served. */
  readonly needsCertificate: boolean
}

/** Takes the requests of one listener. */
export class RequestHandler {
  readonly #edge: EdgeContext
  #door: Doorkeeping
  #leaving = false
  readonly #accept = new AcceptHeader()
  readonly #principals = new Principals()
  readonly #pipelines = new Pipelines()

  constructor(edge: EdgeContext, door: Doorkeeping) {
    this.#edge = edge
    this.#door = door
  }

  setDoor(door: Doorkeeping): void {
    this.#door = door
  }

  /** Its connections end with the answers on them. */
  leave(): void {
    this.#leaving = true
  }

  handle(request: IncomingMessage, response: ServerResponse, expects: Expectation): void {
    if (this.#leaving) response.setHeader('Connection', 'close')
    const refusal = this.#take(request, response, expects)
    if (refusal === undefined) return
    discard(request)
    sendRefusal(this.#edge, response, refusal, {
      idToken: undefined,
      requestId: this.#edge.requestIds.next(),
      traceId: traceIdOf(request.headers, undefined),
      client: this.#door.proxies.wayOf(request).address,
    })
  }

  /** Everything that can be judged before a body is read, in the order of digest 10 section 1. */
  #take(request: IncomingMessage, response: ServerResponse, expects: Expectation): EdgeError | undefined {
    const { headers, method } = request
    const route = this.#edge.routes.find(pathOf(request.url ?? ''))
    const foreign = this.#foreign(request, route)
    if (foreign !== undefined) return foreign
    if (headers.origin !== undefined) allowOrigin(response, headers.origin)
    if (!this.#pipelines.admits(response)) return refusals.tooManyPipelined(MAX_PIPELINED)
    if (route === undefined) return refusals.noRoute()
    // A preflight shows no credentials, so it comes before anything that asks for them.
    if (method === 'OPTIONS') {
      discard(request)
      sendEmpty(this.#edge, response, 204, optionsHeaders(headers, route.cors))
      return undefined
    }
    const principal = this.#principals.of(request)
    if (this.#door.needsCertificate && principal === ANONYMOUS) return refusals.certificateNeeded()
    const place = { route, principal, request, response }
    switch (method) {
      case 'POST':
        return this.#post(place, expects)
      case 'GET':
        if (!this.#accept.admitsEvents(headers.accept)) return refusals.noEventStream()
        return this.#ofSession(place, openStream)
      case 'DELETE':
        return this.#ofSession(place, endSession)
      default:
        return refusals.methodNotAllowed(METHODS)
    }
  }

  #foreign(request: IncomingMessage, route: Route | undefined): EdgeError | undefined {
    const { admission, proxies } = this.#door
    const named = hostOf(request)
    if (typeof named === 'object') return refusals.severalHosts()
    const { host = named, secure } = proxies.wayOf(request)
    if (host === undefined && request.httpVersion === '1.1') return refusals.noHost()
    const { origin } = request.headers
    const fault = admission.fault({ host, origin, secure, routeOrigins: route?.cors?.allowedOrigins })
    if (fault === 'host') return refusals.foreignHost(host)
    return fault === 'origin' ? refusals.foreignOrigin(origin) : undefined
  }

  #ofSession(place: Place, serve: (edge: EdgeContext, place: Place) => EdgeError | undefined): EdgeError | undefined {
    if (this.#edge.stopping) return refusals.stopping()
    discard(place.request)
    return serve(this.#edge, place)
  }

  #post(place: Place, expects: Expectation): EdgeError | undefined {
    const { headers } = place.request
    if (this.#edge.stopping) return refusals.stopping()
    if (!isJson(headers['content-type']) || !isIdentity(headers['content-encoding']))
      return refusals.unsupportedMediaType()
    if (!this.#accept.admitsBoth(headers.accept)) return refusals.notAcceptable()
    if (expects === 'other') return refusals.expectationFailed()
    if (expects === 'continue') place.response.writeContinue()
    readPost(this.#edge, place)
    return undefined
  }
}

function readPost(edge: EdgeContext, place: Place): void {
  const post = new Post(edge, place)
  const ofRelay = edge.limits.maxBodyOctets
  const limitOctets = Math.min(ofRelay, place.route.limits.maxBodyOctets ?? Number.POSITIVE_INFINITY)
  const whose = limitOctets < ofRelay ? 'route' : 'relay'
  readBody(place.request, {
    limitOctets,
    budget: edge.bodies,
    onBody: (body) => {
      // The routes may have changed while it came.
      const route = edge.routes.find(pathOf(place.request.url ?? ''))
      if (route === undefined) post.refuse(refusals.noRoute())
      else if (route === place.route) post.handle(body)
      else new Post(edge, { ...place, route }).handle(body)
    },
    onTooLarge: () => post.refuse(refusals.bodyTooLarge(limitOctets, whose)),
    onNoRoom: () => post.refuse(refusals.tooMuchHeld(edge.bodies.limitOctets)),
  })
}
