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
import { PeerCall } from './peer-call.ts'
import type { PeerDirectory } from './peer-directory.ts'
import { noSuchPeer } from './unplaced.ts'

export interface PeerTargetOptions {
  readonly peers: PeerDirectory
  /** `namespace/name`; it may be configured later, or not any more. */
  readonly peerName: string
  /** Its name there; undefined: whatever the peer takes for its default. */
  readonly targetName: string | undefined
  readonly clock: Clock
  readonly watch: ExchangeWatch
}

/** A target behind a peer, as a route of this relay calls it. */
export class PeerTarget implements CallTarget {
  readonly name: string
  readonly #options: PeerTargetOptions

  constructor(options: PeerTargetOptions) {
    const { peerName, targetName } = options
    this.name = targetName === undefined ? `peer/${peerName}` : `peer/${peerName}/${targetName}`
    this.#options = options
  }

  call(request: CallRequest, sink: CallSink): CallHandle {
    const { peers, peerName, targetName, clock, watch } = this.#options
    const peer = peers.byName(peerName)
    if (peer === undefined) {
      sink.fail(noSuchPeer(peerName))
      return NOTHING_TO_HANDLE
    }
    const call = new PeerCall({ request, sink, targetName, clock, watch, name: this.name }, peer)
    peer.place(call)
    return call
  }

  notify(notification: ClientNotification): void {
    const { peers, peerName, targetName, watch } = this.#options
    const peer = peers.byName(peerName)
    if (peer === undefined) watch.notificationDropped('no_association')
    else peer.notify(notification, targetName)
  }

  endSession(session: Session, reason: SessionEndReason): void {
    this.#options.peers.byName(this.#options.peerName)?.endSession(session, reason)
  }
}

const NOTHING_TO_HANDLE: CallHandle = { cancel() {}, resume() {} }
