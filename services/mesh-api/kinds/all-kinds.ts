import type { KindName } from './kind.ts'
import { type MeshBackend, meshBackend } from './mesh-backend.ts'
import { type MeshPeer, meshPeer } from './mesh-peer.ts'
import { type MeshRelay, meshRelay } from './mesh-relay.ts'
import { type MeshRoute, meshRoute } from './mesh-route.ts'

/** Every kind of this version. */
export const KINDS = {
  MeshRelay: meshRelay,
  MeshPeer: meshPeer,
  MeshBackend: meshBackend,
  MeshRoute: meshRoute,
} as const

export const KIND_NAMES: readonly KindName[] = ['MeshRelay', 'MeshPeer', 'MeshBackend', 'MeshRoute']

export type AnyResource = MeshRelay | MeshPeer | MeshBackend | MeshRoute

/** A whole set, each list ordered by namespace and name. */
export interface Resources {
  readonly relays: readonly MeshRelay[]
  readonly peers: readonly MeshPeer[]
  readonly backends: readonly MeshBackend[]
  readonly routes: readonly MeshRoute[]
}
