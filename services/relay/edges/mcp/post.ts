import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { idKey, MalformedError, methodFault, type ScannedMessage, scanMessage } from '@causeway/npamp'
import type { Era } from '../../exchanges/contract.ts'
import { eraOf } from '../../exchanges/era.ts'
import type { Route } from '../../router/route.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import { Exchange } from './exchange.ts'
import { factScope } from './fact-scope.ts'
import { headerMismatch } from './modern-headers.ts'
import { parametersOf } from './parameters.ts'
import * as refusals from './refusals.ts'
import { sendAccepted, sendRefusal } from './respond.ts'
import { traceIdOf } from './trace-id.ts'

/** One POST: what its body is, whether it may pass, and to where. */
export class Post {
  readonly #edge: EdgeContext
  readonly #route: Route
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #message: ScannedMessage | undefined

  constructor(edge: EdgeContext, route: Route, request: IncomingMessage, response: ServerResponse) {
    this.#edge = edge
    this.#route = route
    this.#request = request
    this.#response = response
  }

  handle(body: Uint8Array): void {
    const refusal = this.#take(body)
    if (refusal !== undefined) this.refuse(refusal)
  }

  refuse(error: EdgeError): void {
    sendRefusal(this.#edge, this.#response, error, {
      idToken: this.#message?.idToken,
      requestId: this.#edge.requestIds.next(),
      traceId: traceIdOf(this.#request.headers, this.#message),
    })
  }

  /** Checks in the order of digest 10 section 1, and hands over what passes. */
  #take(body: Uint8Array): EdgeError | undefined {
    try {
      this.#message = scanMessage(body, { isUtf8 })
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      return error.code === 'JSON' ? refusals.notJson(error.message) : refusals.invalidRequest(error.message)
    }
    switch (this.#message.shape) {
      case 'batch':
        return refusals.invalidRequest('batches are not served')
      case 'result':
      case 'error':
        return this.#clientResponse()
      case 'request':
      case 'notification':
        return this.#clientMessage(this.#message, this.#message.method ?? '')
    }
  }

  #clientMessage(message: ScannedMessage, method: string): EdgeError | undefined {
    const fault = methodFault(method)
    if (fault === 'surrogate') return refusals.invalidRequest('method holds a lone surrogate')
    const { headers } = this.#request
    const { era, revision, unclaimed } = eraOf(message, headerText(headers['mcp-protocol-version']))
    if (unclaimed && message.shape === 'request') return refusals.revisionNotClaimed()
    // MCP-051. A claim that only the backend may judge comes before the headers, so they are left to it as well.
    const mismatch = revision === undefined ? undefined : headerMismatch(headers, message, revision)
    if (mismatch !== undefined) return refusals.headersDisagree(mismatch)
    if (fault === 'tooLong') return refusals.methodTooLong(statusOfUnknownMethod(message, era))
    return message.shape === 'notification'
      ? this.#notification(message, method, era)
      : this.#call(message, method, era)
  }

  #notification(message: ScannedMessage, method: string, era: Era): EdgeError | undefined {
    const session = this.#session(era)
    if (session === 'unknown') return refusals.sessionUnknown()
    const parameters = parametersOf(this.#request)
    if (parameters === undefined) return refusals.tooManyParameters()
    sendAccepted(this.#edge, this.#response)
    this.#route.target.notify({ era, session: session?.session, method, octets: message.text, message, parameters })
    return undefined
  }

  /** The answer to a request of the server's. None was passed on, as nothing carries them yet. */
  #clientResponse(): EdgeError | undefined {
    if (this.#session('legacy') === 'unknown') return refusals.sessionUnknown()
    this.#edge.metrics.notificationDropped('client_response')
    sendAccepted(this.#edge, this.#response)
    return undefined
  }

  #call(message: ScannedMessage, method: string, era: Era): EdgeError | undefined {
    const { idToken } = message
    if (idToken === undefined) return refusals.invalidRequest('the request has no id')
    const parameters = parametersOf(this.#request)
    if (parameters === undefined) return refusals.tooManyParameters()
    const session = era === 'legacy' && method === 'initialize' ? this.#openSession() : this.#session(era)
    if (session === 'unknown') return refusals.sessionUnknown()
    if (session === 'full') return refusals.tooManySessions(this.#edge.limits.sessionsPerRoute)
    const key = session === undefined ? '' : idKey(idToken)
    // CARRIAGE section 2, RPC-023: never sent, or two answers could not be told apart.
    if (session?.takeId(key) === false) return refusals.idInUse()
    const requestId = this.#edge.requestIds.next()
    const scope = factScope(this.#route, session)
    const effect = this.#edge.facts.effectOf(message, method, scope)
    new Exchange(this.#edge, {
      route: this.#route,
      request: {
        era,
        session: session?.session,
        method,
        idToken,
        octets: message.text,
        message,
        effect,
        parameters,
        requestId,
      },
      response: this.#response,
      session,
      scope,
      listed: method === 'tools/list' ? this.#edge.facts.listing(message, scope) : undefined,
      idKey: key,
      traceId: () => traceIdOf(this.#request.headers, message),
    }).run()
    return undefined
  }

  #openSession(): NorthboundSession | 'full' {
    return this.#edge.sessions.open(this.#route) ?? 'full'
  }

  /** Digest 10 section 1: the modern era ignores Mcp-Session-Id; a legacy request without one stands in no session. */
  #session(era: Era): NorthboundSession | undefined | 'unknown' {
    const id = era === 'modern' ? undefined : headerText(this.#request.headers['mcp-session-id'])
    return id === undefined ? undefined : (this.#edge.sessions.find(id, this.#route) ?? 'unknown')
  }
}

function headerText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** CARRIAGE section 2. A notification has no answer that a legacy 200 could carry. */
function statusOfUnknownMethod(message: ScannedMessage, era: Era): number {
  if (era === 'modern') return 404
  return message.shape === 'request' ? 200 : 400
}
