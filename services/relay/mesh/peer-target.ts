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
import type { ExchangeWatch } from './exchange-watch.ts'
import type { Peer } from './peer.ts'
import { PeerCall } from './peer-call.ts'

/** A target behind a peer, as a route of this relay calls it. */
export class PeerTarget implements CallTarget {
  readonly name: string
  readonly #peer: Peer
  readonly #targetName: string | undefined
  readonly #clock: Clock
  readonly #watch: ExchangeWatch

  /** `targetName`: its name there; undefined: whatever the peer takes for its default. */
  constructor(peer: Peer, targetName: string | undefined, clock: Clock, watch: ExchangeWatch) {
    this.name = targetName === undefined ? `peer/${peer.config.name}` : `peer/${peer.config.name}/${targetName}`
    this.#peer = peer
    this.#targetName = targetName
    this.#clock = clock
    this.#watch = watch
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const options = {
      request,
      sink,
      targetName: this.#targetName,
      clock: this.#clock,
      watch: this.#watch,
      name: this.name,
    }
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
