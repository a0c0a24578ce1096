import { type Bridge, type IncomingExchange, NpampError, PROTOCOL, type RouteContext } from '@causeway/npamp'
import type { ServerRequest, ServerRequestHandle, ServerRequestSink, SessionClient } from '../exchanges/contract.ts'
import { notAsked, type SentServerRequests } from './sent-server-requests.ts'
import { NOBODY_TO_ASK, SESSION_GONE } from './unplaced.ts'

export interface FarClientHost {
  readonly bridge: Bridge
  readonly requests: SentServerRequests
  /** Whether the association has as much to send as it may have. */
  readonly queueFull: () => boolean
  readonly flush: () => void
  readonly onWaiting: (client: FarClient) => void
  /** Whether what this client is told can be about no other: a peer that knows no RouteContext has to guess. */
  readonly isAlone: (client: FarClient) => boolean
  readonly onNotificationLost: (reason: string) => void
}

/** The client of a session that a peer opened at a target here: what the server says in it crosses the mesh. */
export class FarClient implements SessionClient {
  /** Of the frames in this direction: it repeats the target, and names the session (CARRIAGE section 1). */
  readonly route: RouteContext | undefined
  readonly #host: FarClientHost
  #onRoom: (() => void) | undefined
  #over = false

  constructor(route: RouteContext | undefined, host: FarClientHost) {
    this.route = route
    this.#host = host
  }

  notification(octets: Uint8Array, onRoom: () => void): 'ok' | 'wait' {
    if (this.#over) return 'ok'
    this.#send(octets)
    if (!this.#host.queueFull()) return 'ok'
    this.#onRoom = onRoom
    this.#host.onWaiting(this)
    return 'wait'
  }

  request(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle {
    return this.ask(request, sink, undefined)
  }

  /** `related`: the call that it belongs to. */
  ask(request: ServerRequest, sink: ServerRequestSink, related: IncomingExchange | undefined): ServerRequestHandle {
    if (this.#over) return notAsked(sink, SESSION_GONE)
    if (!this.#mayAsk(request)) return notAsked(sink, NOBODY_TO_ASK)
    return this.#host.requests.send(request, sink, { asker: this, route: this.route, related })
  }

  /** The queue has room: whoever waits may read on. */
  roomAgain(): void {
    const onRoom = this.#onRoom
    this.#onRoom = undefined
    onRoom?.()
  }

  /** The session ended. */
  end(): void {
    this.#over = true
    this.#onRoom = undefined
    this.#host.requests.endOf(this)
  }

  #mayAsk({ idToken }: ServerRequest): boolean {
    const { isAlone, bridge } = this.#host
    // To a peer without RouteContext two requests of one id never share an association (CARRIAGE section 1).
    return this.route !== undefined || (isAlone(this) && !bridge.hasOpenId(idToken))
  }

  #send(octets: Uint8Array): void {
    const { bridge, flush, isAlone, onNotificationLost } = this.#host
    if (this.route === undefined && !isAlone(this)) {
      onNotificationLost('unrelated')
      return
    }
    try {
      bridge.notify({ protocolId: PROTOCOL.MCP, octets, route: this.route })
      flush()
    } catch (error) {
      if (!(error instanceof NpampError)) throw error
      onNotificationLost(error.code.toLowerCase())
    }
  }
}
