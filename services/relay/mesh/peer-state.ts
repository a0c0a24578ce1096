import { POST_QUANTUM_GROUP } from '@causeway/npamp/transports'
import type { Peer } from './peer.ts'
import type { PinnedSuccessor } from './successors.ts'

/** How a peer is, as this relay sees it. */
export interface PeerState {
  /** `namespace/name`. */
  readonly name: string
  readonly reachable: 'reachable' | 'unreachable' | 'notTried'
  /** Why it is not reachable; empty otherwise. */
  readonly message: string
  readonly associations: number
  /** Of the outer TLS, which only who dialled can read; undefined where nothing can be read. */
  readonly postQuantum: boolean | undefined
  /** PeerHandle that the open associations have. */
  readonly peerHandle: string | undefined
  /** PeerHandles that the peer announced itself, and that are pinned. */
  readonly pinnedSuccessors: readonly string[]
  /** Seconds since 1970 at which the last statement of the peer ends. */
  readonly identityExpiresS: number | undefined
}

export function stateOf(peer: Peer, successors: readonly PinnedSuccessor[]): PeerState {
  const open = [...peer.associations]
  const groups = open.map(({ transportInfo }) => transportInfo?.group).filter((group) => group !== undefined)
  return {
    name: peer.config.name,
    ...reachability(peer),
    associations: open.length,
    postQuantum: groups.length === 0 ? undefined : groups.every((group) => group === POST_QUANTUM_GROUP),
    peerHandle: open.findLast(({ core }) => core.established !== undefined)?.core.established?.peerHandle,
    pinnedSuccessors: successors.map(({ nextHandle }) => nextHandle),
    identityExpiresS: successors.at(-1)?.notAfterS,
  }
}

function reachability(peer: Peer): Pick<PeerState, 'reachable' | 'message'> {
  if (peer.reachable) return { reachable: 'reachable', message: '' }
  const { dialFailure } = peer
  // One that is never dialled from here connects when it needs something.
  return dialFailure === undefined
    ? { reachable: 'notTried', message: '' }
    : { reachable: 'unreachable', message: dialFailure.message }
}
