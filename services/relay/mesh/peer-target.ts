import type { Clock } from '@causeway/npamp/transports'
import type {
  CallHandle,
  CallRequest,
  CallSink,
  CallTarget,
  ClientNotification,
  Session,
  SessionEndReason,
} from '../exchanges/contract.ts'
import type { ExchangeMetrics } from './exchange-metrics.ts'
import type { Peer } from './peer.ts'
import { PeerCall } from './peer-call.ts'

/** A target behind a peer, as a route of this relay calls it. */
export class PeerTarget implements CallTarget {
  readonly name: string
  readonly #peer: Peer
  readonly #targetName: string | undefined
  readonly #clock: Clock
  readonly #metrics: ExchangeMetrics

  /** `targetName`: its name there; undefined: whatever the peer takes for its default. */
  constructor(peer: Peer, targetName: string | undefined, clock: Clock, metrics: ExchangeMetrics) {
    this.name = targetName === undefined ? `peer/${peer.config.name}` : `peer/${peer.config.name}/${targetName}`
    this.#peer = peer
    this.#targetName = targetName
    this.#clock = clock
    this.#metrics = metrics
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const options = { request, sink, targetName: this.#targetName, clock: this.#clock, metrics: this.#metrics }
    const call = new PeerCall(options, this.#peer)
    this.#peer.place(call)
    return call
  }

  notify(notification: ClientNotification): void {
    this.#peer.notify(notification, this.#targetName)
  }

  endSession(session: Session, reason: SessionEndReason): void {
    this.#peer.endSession(session, reason)
  }
}
