import { create } from '@bufbuild/protobuf'
import {
  type BackendStatus,
  type InstanceStatus,
  InstanceStatusSchema,
  type PeerStatus,
  Reachability,
} from '@causeway/rpc'
import type { BackendHealth } from './backends/contract.ts'
import type { PeerState } from './mesh/peer-state.ts'
import type { Rooms } from './rooms.ts'

type StatusOf<Message> = Omit<Message, '$typeName' | '$unknown'>

/** What the relay says of itself (CONTROL section 4). The trust bundle is for whoever has it to add. */
export function statusOf(rooms: Rooms | undefined): InstanceStatus {
  if (rooms === undefined) return create(InstanceStatusSchema)
  return create(InstanceStatusSchema, {
    peerHandle: rooms.peerHandleInUse,
    peers: rooms.mesh.peerStates().map(peerStatus),
    backends: [...rooms.backends.health()].map(({ name, health }) => backendStatus(name, health)),
    heldIdentities: [...rooms.heldIdentities],
  })
}

const REACHABILITY: Readonly<Record<PeerState['reachable'], Reachability>> = {
  reachable: Reachability.REACHABLE,
  unreachable: Reachability.UNREACHABLE,
  notTried: Reachability.NOT_TRIED,
}

function peerStatus(state: PeerState): StatusOf<PeerStatus> {
  const { name, reachable, message, associations, postQuantum, pinnedSuccessors, identityExpiresS, peerHandle } = state
  return {
    name,
    reachable: REACHABILITY[reachable],
    message,
    associations,
    ...(postQuantum === undefined ? {} : { postQuantum }),
    pinnedSuccessors: [...pinnedSuccessors],
    ...(identityExpiresS === undefined ? {} : { identityExpires: BigInt(identityExpiresS) }),
    peerHandle: peerHandle ?? '',
  }
}

function backendStatus(name: string, { reachable, message, authorized }: BackendHealth): StatusOf<BackendStatus> {
  const known = reachable ? Reachability.REACHABLE : Reachability.UNREACHABLE
  return {
    name,
    reachable: reachable === undefined ? Reachability.NOT_TRIED : known,
    message,
    ...(authorized === undefined ? {} : { authorized }),
  }
}
