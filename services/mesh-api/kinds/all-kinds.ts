import { conditionColumns, PATH, PEER_HANDLE } from './columns.ts'
import { BACKEND_CONDITIONS, PEER_CONDITIONS, RELAY_CONDITIONS, ROUTE_CONDITIONS } from './condition-types.ts'
import type { Kind, KindName } from './kind.ts'
import { type MeshBackend, meshBackendSpec } from './mesh-backend.ts'
import { backendRules } from './mesh-backend-rules.ts'
import { type MeshPeer, meshPeerSpec } from './mesh-peer.ts'
import { peerRules } from './mesh-peer-rules.ts'
import { type MeshRelay, meshRelaySpec } from './mesh-relay.ts'
import { relayRules } from './mesh-relay-rules.ts'
import { type MeshRoute, meshRouteSpec } from './mesh-route.ts'
import { routeRules } from './mesh-route-rules.ts'
import { backendStatus, meshRelayStatus, peerStatus, routeStatus } from './status.ts'

/** Every kind of this version, one row each. */
export const KINDS = {
  MeshRelay: {
    name: 'MeshRelay',
    plural: 'meshrelays',
    shortName: 'cwrelay',
    description: 'A relay: its identity, its listeners and its bounds.',
    spec: meshRelaySpec,
    status: meshRelayStatus,
    conditions: RELAY_CONDITIONS,
    columns: [PEER_HANDLE, ...conditionColumns(RELAY_CONDITIONS, 'Ready')],
    rules: relayRules,
  } satisfies Kind<'MeshRelay', typeof meshRelaySpec>,
  MeshPeer: {
    name: 'MeshPeer',
    plural: 'meshpeers',
    shortName: 'cwpeer',
    description: 'A remote N-PAMP endpoint: where it is, who it is and how it is spoken to.',
    spec: meshPeerSpec,
    status: peerStatus,
    conditions: PEER_CONDITIONS,
    columns: conditionColumns(PEER_CONDITIONS, 'Programmed'),
    rules: peerRules,
  } satisfies Kind<'MeshPeer', typeof meshPeerSpec>,
  MeshBackend: {
    name: 'MeshBackend',
    plural: 'meshbackends',
    shortName: 'cwbackend',
    description: 'A local MCP server that relays may call, and who may reach it through them.',
    spec: meshBackendSpec,
    status: backendStatus,
    conditions: BACKEND_CONDITIONS,
    columns: conditionColumns(BACKEND_CONDITIONS, 'Programmed'),
    rules: backendRules,
  } satisfies Kind<'MeshBackend', typeof meshBackendSpec>,
  MeshRoute: {
    name: 'MeshRoute',
    plural: 'meshroutes',
    shortName: 'cwroute',
    description: 'What a relay offers to its clients: a path, and the target behind it.',
    spec: meshRouteSpec,
    status: routeStatus,
    conditions: ROUTE_CONDITIONS,
    columns: [PATH, ...conditionColumns(ROUTE_CONDITIONS, 'Programmed')],
    rules: routeRules,
  } satisfies Kind<'MeshRoute', typeof meshRouteSpec>,
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
