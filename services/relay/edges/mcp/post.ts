import { isUtf8 } from 'node:buffer'
import { MalformedError, methodFault, type ScannedMessage, scanMessage } from '@causeway/npamp'
import type { Era } from '../../exchanges/contract.ts'
import { eraOf } from '../../exchanges/era.ts'
import { SingleAnswer } from './answer.ts'
import { takeBatch } from './batch.ts'
import { Delivery, headerText, type Passing, type Place } from './delivery.ts'
import type { EdgeContext } from './edge-context.ts'
import type { EdgeError } from './edge-error.ts'
import { holdsHead } from './exchange-start.ts'
import { headerMismatch } from './modern-headers.ts'
import { parametersOf } from './parameters.ts'
import * as refusals from './refusals.ts'
import { sendAccepted, sendRefusal } from './respond.ts'
import { traceIdOf } from './trace-id.ts'

/** One POST: what its body is, whether it may pass, and to where. */
export class Post {
  readonly #edge: EdgeContext
  readonly #place: Place
  readonly #delivery: Delivery
  #message: ScannedMessage | undefined

  constructor(edge: EdgeContext, place: Place) {
    this.#edge = edge
    this.#place = place
    this.#delivery = new Delivery(edge, place)
  }

  handle(body: Uint8Array): void {
    const refusal = this.#take(body)
    if (refusal !== undefined) this.refuse(refusal)
  }

  refuse(error: EdgeError): void {
    sendRefusal(this.#edge, this.#place.response, error, {
      idToken: this.#message?.idToken,
      requestId: this.#edge.requestIds.next(),
      traceId: traceIdOf(this.#place.request.headers, this.#message),
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
        return takeBatch(this.#edge, this.#place, this.#delivery, this.#message)
      case 'result':
      case 'error':
        return this.#clientResponse(this.#message)
      case 'request':
      case 'notification':
        return this.#clientMessage(this.#message, this.#message.method ?? '')
    }
  }

  #clientMessage(message: ScannedMessage, method: string): EdgeError | undefined {
    const fault = methodFault(method)
    if (fault === 'surrogate') return refusals.loneSurrogate()
    const { headers } = this.#place.request
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
    const session = this.#delivery.session(era)
    if (session === 'unknown') return refusals.sessionUnknown()
    const parameters = this.#parameters()
    if (parameters === undefined) return refusals.tooManyParameters()
    sendAccepted(this.#edge, this.#place.response)
    this.#delivery.notification({ message, method, era, session, parameters })
    return undefined
  }

  #clientResponse(message: ScannedMessage): EdgeError | undefined {
    const session = this.#delivery.session('legacy')
    if (session === 'unknown') return refusals.sessionUnknown()
    sendAccepted(this.#edge, this.#place.response)
    this.#delivery.response(message, session)
    return undefined
  }

  #call(message: ScannedMessage, method: string, era: Era): EdgeError | undefined {
    const { idToken } = message
    if (idToken === undefined) return refusals.invalidRequest('the request has no id')
    const parameters = this.#parameters()
    if (parameters === undefined) return refusals.tooManyParameters()
    const opens = era === 'legacy' && method === 'initialize'
    const session = opens ? this.#delivery.openSession() : this.#delivery.session(era)
    if (session === 'unknown') return refusals.sessionUnknown()
    if (session !== undefined && 'full' in session) return refusals.tooManySessions(session)
    const passing: Passing = { message, method, era, session, parameters }
    const request = this.#delivery.takeId(passing, idToken)
    if (request === undefined) return refusals.idInUse()
    const held = holdsHead(era, method)
    this.#delivery.call(
      request,
      (events) =>
        new SingleAnswer(this.#edge, this.#place.response, { held, session: held ? undefined : session, ...events }),
    )
    return undefined
  }

  #parameters(): Passing['parameters'] | undefined {
    return parametersOf(this.#place.request, this.#place.route.forwardHeaders)
  }
}

/** CARRIAGE section 2. A notification has no answer that a legacy 200 could carry. */
function statusOfUnknownMethod(message: ScannedMessage, era: Era): number {
  if (era === 'modern') return 404
  return message.shape === 'request' ? 200 : 400
}
