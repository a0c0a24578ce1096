import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import { type Backend, BackendSchema } from '../generated/causeway/config/v1/backend_pb.ts'
import { ResourceKind } from '../generated/causeway/config/v1/config_pb.ts'
import { type Peer, PeerSchema } from '../generated/causeway/config/v1/peer_pb.ts'
import { type Relay, RelaySchema } from '../generated/causeway/config/v1/relay_pb.ts'
import { type Route, RouteSchema } from '../generated/causeway/config/v1/route_pb.ts'

/** The message of each kind of resource. */
export interface ResourceMessages {
  readonly relay: Relay
  readonly peer: Peer
  readonly backend: Backend
  readonly route: Route
}

export type ResourceKindName = keyof ResourceMessages

/** A kind and the message of that kind. */
export type ResourceMessage = {
  readonly [Kind in ResourceKindName]: { readonly kind: Kind; readonly message: ResourceMessages[Kind] }
}[ResourceKindName]

interface KindRow<Kind extends ResourceKindName> {
  readonly number: ResourceKind
  /** The kind of the custom resource that it is made from. */
  readonly objectKind: string
  readonly schema: GenMessage<ResourceMessages[Kind]>
}

export const RESOURCE_KINDS: { readonly [Kind in ResourceKindName]: KindRow<Kind> } = {
  relay: { number: ResourceKind.RELAY, objectKind: 'MeshRelay', schema: RelaySchema },
  peer: { number: ResourceKind.PEER, objectKind: 'MeshPeer', schema: PeerSchema },
  backend: { number: ResourceKind.BACKEND, objectKind: 'MeshBackend', schema: BackendSchema },
  route: { number: ResourceKind.ROUTE, objectKind: 'MeshRoute', schema: RouteSchema },
}

const NAMES = Object.keys(RESOURCE_KINDS) as ResourceKindName[]
const BY_NUMBER = new Map(NAMES.map((name) => [RESOURCE_KINDS[name].number, name]))

/** Undefined: a kind that this version does not know. */
export function resourceKindOf(number: ResourceKind): ResourceKindName | undefined {
  return BY_NUMBER.get(number)
}

export function resourceKindNumber(name: ResourceKindName): ResourceKind {
  return RESOURCE_KINDS[name].number
}

/** As in `MeshRoute`. */
export function objectKindOf(name: ResourceKindName): string {
  return RESOURCE_KINDS[name].objectKind
}
