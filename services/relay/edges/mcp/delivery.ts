import type { IncomingMessage, ServerResponse } from 'node:http'
import { EFFECT, idKey, isNullId, type ScannedMessage, type ServiceParameters } from '@causeway/npamp'
import type { Era } from '../../exchanges/contract.ts'
import type { Route } from '../../router/route.ts'
import type { NorthboundSession } from '../../sessions/northbound-session.ts'
import type { SessionsFull } from '../../sessions/session-table.ts'
import type { Answer, AnswerEvents } from './answer.ts'
import type { EdgeContext } from './edge-context.ts'
import { Exchange } from './exchange.ts'
import { factScope } from './fact-scope.ts'
import { onlyReadOnly } from './only-read-only.ts'
import { traceIdOf } from './trace-id.ts'

/** Where the messages of one POST stand. */
export interface Place {
  readonly route: Route
  /** Whoever the client is, as far as that is known: the subject of its certificate, or `anonymous`. */
  readonly principal: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A message that may pass. */
export interface Passing {
  readonly message: ScannedMessage
  readonly method: string
  readonly era: Era
  readonly session: NorthboundSession | undefined
  readonly parameters: ServiceParameters
}

/** A request that may pass; its id is taken in its session. */
export interface PassingRequest extends Passing {
  readonly idToken: Uint8Array
  readonly idKey: string
}

/** Hands the messages of one POST to whom they are for. */
export class Delivery {
  readonly #edge: EdgeContext
  readonly #place: Place

  constructor(edge: EdgeContext, place: Place) {
    this.#edge = edge
    this.#place = place
  }

  /** Digest 10 section 1: the modern era ignores Mcp-Session-Id; a legacy request without one stands in no session. */
  session(era: Era): NorthboundSession | undefined | 'unknown' {
    const { request, route, principal } = this.#place
    const id = era === 'modern' ? undefined : headerText(request.headers['mcp-session-id'])
    return id === undefined ? undefined : (this.#edge.sessions.find(id, route, principal) ?? 'unknown')
  }

  openSession(): NorthboundSession | SessionsFull {
    return this.#edge.sessions.open(this.#place.route, this.#place.principal)
  }

  notification({ message, method, era, session, parameters }: Passing): void {
    const notification = { era, session: session?.session, method, octets: message.text, message, parameters }
    this.#place.route.target.notify(notification)
  }

  /** The answer to a request of the server's: matched by the id in its session, else it is for nobody here. */
  response(message: ScannedMessage, session: NorthboundSession | undefined): void {
    const { idToken, shape, text: octets } = message
    const kind = shape === 'result' ? 'result' : 'error'
    const known = idToken !== undefined && !isNullId(idToken) && session?.answer(idToken, { kind, octets, message })
    if (known !== true) this.#edge.metrics.notificationDropped('client_response')
  }

  /** Undefined when a request with an equal id is open in its session: it must not be sent (CARRIAGE section 2, RPC-023). */
  takeId(passing: Passing, idToken: Uint8Array): PassingRequest | undefined {
    const key = passing.session === undefined ? '' : idKey(idToken)
    return passing.session?.takeId(key) === false ? undefined : { ...passing, idToken, idKey: key }
  }

  call(passing: PassingRequest, answer: (events: AnswerEvents) => Answer): void {
    const { message, method, era, session, parameters, idToken, idKey: key } = passing
    const { route, principal, request, response } = this.#place
    const scope = factScope(route, session, principal)
    const effect = this.#edge.facts.effectOf(message, method, scope)
    new Exchange(this.#edge, {
      route:
        this.#edge.readOnly && effect !== EFFECT.READ_ONLY ? { ...route, target: onlyReadOnly(route.target) } : route,
      request: {
        era,
        session: session?.session,
        method,
        idToken,
        octets: message.text,
        message,
        effect,
        parameters,
        requestId: this.#edge.requestIds.next(),
        principal,
      },
      response,
      answer,
      session,
      scope,
      listed: method === 'tools/list' ? this.#edge.facts.listing(message, scope) : undefined,
      idKey: key,
      traceId: () => traceIdOf(request.headers, message),
    }).run()
  }
}

export function headerText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
