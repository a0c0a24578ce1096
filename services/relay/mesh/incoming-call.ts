import type { Bridge, IncomingExchange } from '@causeway/npamp'
import { NpampError, OUTCOME, PROTOCOL, STATUS } from '@causeway/npamp'
import type { Clock } from '@causeway/npamp/transports'
import type {
  CallFailure,
  CallHandle,
  CallReply,
  CallSink,
  Era,
  ServerRequest,
  ServerRequestHandle,
  ServerRequestSink,
  Session,
} from '../exchanges/contract.ts'
import { MAX_STALL_MS } from './delivery.ts'
import { failureToPeer } from './failures.ts'
import type { ReplyRoom } from './reply-room.ts'

/** What a request of a peer's is, as far as its target and its answer need it. */
export interface IncomingRequest {
  readonly exchange: IncomingExchange
  readonly era: Era
  /** The one that it is in. */
  readonly session: Session | undefined
  readonly octets: number
  readonly arrivedAt: number
  /** For logs. */
  readonly requestId: string
}

export interface IncomingCallHost {
  readonly bridge: Bridge
  readonly clock: Clock
  /** Whether the association has as much to send as it may have. */
  readonly queueFull: () => boolean
  readonly flush: () => void
  readonly onWaiting: (call: IncomingCall) => void
  /** Where the octets of answers are counted that the peer has not been sent yet. */
  readonly room: ReplyRoom<IncomingCall>
  /** When the peer last took anything that was waiting. */
  readonly progressedAt: () => number
  readonly onNotificationLost: (code: string) => void
  /** Asks the caller something that the target wants to know, for this call or after it. */
  readonly ask: (call: IncomingCall, request: ServerRequest, sink: ServerRequestSink) => ServerRequestHandle
  /** Exactly once. */
  readonly onEnded: (call: IncomingCall, how: 'result' | 'error' | CallFailure) => void
}

/** One request of a peer's at a target of this relay: what the target says goes back over the bridge. */
export class IncomingCall implements CallSink {
  readonly request: IncomingRequest
  readonly #host: IncomingCallHost
  #handle: CallHandle | undefined
  #over = false
  #stallTimer: unknown

  constructor(request: IncomingRequest, host: IncomingCallHost) {
    this.request = request
    this.#host = host
  }

  get over(): boolean {
    return this.#over
  }

  /** What the target gave back for the call; it may be over already. */
  set handle(handle: CallHandle) {
    this.#handle = handle
  }

  // --- CallSink ---

  notification(octets: Uint8Array): 'ok' | 'wait' {
    if (this.#over) return 'ok'
    this.#send(octets)
    return this.#host.queueFull() ? this.#wait() : 'ok'
  }

  serverRequest(request: ServerRequest, sink: ServerRequestSink): ServerRequestHandle {
    return this.#host.ask(this, request, sink)
  }

  arriving(octets: number): 'ok' | 'wait' {
    if (this.#over) return 'ok'
    return this.#host.room.arrived(this, octets) ? 'ok' : this.#wait()
  }

  reply(reply: CallReply): void {
    if (this.#over) return
    const { bridge, clock, flush, room } = this.#host
    const { kind, octets, message, release } = reply
    const leaveRoom = room.queued(this, octets.length)
    const onTaken = () => {
      release?.()
      leaveRoom()
    }
    const input = { kind, octets, message, parameters: withStatus(reply), onTaken }
    if (bridge.respond(this.request.exchange, input, clock.now()) !== 'queued') leaveRoom()
    flush()
    this.#end(kind)
  }

  fail(failure: CallFailure): void {
    if (this.#over) return
    const { bridge, clock, flush } = this.#host
    bridge.fail(this.request.exchange, failureToPeer(failure), clock.now())
    flush()
    this.#end(failure)
  }

  // --- from the association ---

  /** Whether it may be told again to read on. */
  get mayRead(): boolean {
    return this.#host.room.mayRead(this)
  }

  /** What it waited for is there: the queue of the association has room, or the budget for answers. */
  drained(): void {
    this.#disarm()
    this.#handle?.resume()
  }

  /** The peer wants it stopped; the target still says how it ended. */
  cancel(): void {
    this.#handle?.cancel('disconnect')
  }

  /** The same where the target can be told nothing any more. */
  breakOff(): void {
    this.#handle?.cancel('abandoned')
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    if (this.#over) return
    this.#end({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: 'the association ended' })
    // In the legacy era a disconnect is never a cancel (digest 10 section 4). The session is about to end, and its calls
    // with it; outside of one nothing else would ever end a call that the server leaves open.
    if (this.request.era === 'modern') this.#handle?.cancel('disconnect')
    else if (this.request.session === undefined) this.#handle?.cancel('abandoned')
  }

  #send(octets: Uint8Array): void {
    const { bridge, flush, onNotificationLost } = this.#host
    // RouteContext is on every NOTIFY, in both directions (CARRIAGE section 1).
    const { exchange } = this.request
    try {
      bridge.notify({ protocolId: PROTOCOL.MCP, octets, route: exchange.route, related: exchange })
      flush()
    } catch (error) {
      if (!(error instanceof NpampError)) throw error
      onNotificationLost(error.code)
    }
  }

  #wait(): 'wait' {
    if (this.#stallTimer === undefined) this.#armStall(MAX_STALL_MS)
    this.#host.onWaiting(this)
    return 'wait'
  }

  #armStall(ms: number): void {
    const { clock, progressedAt } = this.#host
    this.#stallTimer = clock.setTimeout(() => {
      this.#stallTimer = undefined
      // It may be the turn of others first, as long as it is anybody's.
      const leftMs = progressedAt() + MAX_STALL_MS - clock.now()
      if (leftMs > 0) this.#armStall(leftMs)
      else this.#failAlone()
    }, ms)
  }

  /** CARRIAGE section 7: 30 s without progress, and this exchange ends; no other. */
  #failAlone(): void {
    this.fail({ code: 'NotDelivered', outcome: OUTCOME.UNKNOWN, message: 'the peer took nothing for 30 s' })
    this.#handle?.cancel('disconnect')
  }

  #end(how: 'result' | 'error' | CallFailure): void {
    this.#over = true
    this.#disarm()
    this.#host.onEnded(this, how)
    this.#host.room.forget(this)
  }

  #disarm(): void {
    if (this.#stallTimer === undefined) return
    this.#host.clock.clearTimeout(this.#stallTimer)
    this.#stallTimer = undefined
  }
}

function withStatus({ status, parameters }: CallReply): ReadonlyMap<string, string> {
  return status === undefined ? parameters : new Map(parameters).set(STATUS, String(status))
}
