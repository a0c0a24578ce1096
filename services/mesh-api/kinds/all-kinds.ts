import { type AccessKey, accessKeySpec } from './access-key.ts'
import { accessKeyRules } from './access-key-rules.ts'
import { type AgentCard, agentCardSpec } from './agent-card.ts'
import { cardRules } from './agent-card-rules.ts'
import { type ApprovalRequest, approvalRequestSpec } from './approval-request.ts'
import { approvalRules } from './approval-request-rules.ts'
import {
  conditionColumns,
  DECISION,
  EXPIRES,
  KEY_EXPIRES,
  MODE,
  OWNER,
  PATH,
  PEER_HANDLE,
  PRINCIPAL,
  TOOL,
} from './columns.ts'
import {
  ACCESS_KEY_CONDITIONS,
  ANCHOR_CONDITIONS,
  APPROVAL_CONDITIONS,
  BACKEND_CONDITIONS,
  CARD_CONDITIONS,
  PEER_CONDITIONS,
  POLICY_CONDITIONS,
  RECORD_CONDITIONS,
  RELAY_CONDITIONS,
  ROUTE_CONDITIONS,
} from './condition-types.ts'
import { type DiscoveryRecord, discoveryRecordSpec } from './discovery-record.ts'
import { recordRules } from './discovery-record-rules.ts'
import type { Kind, KindName } from './kind.ts'
import { type MeshBackend, meshBackendSpec } from './mesh-backend.ts'
import { backendRules } from './mesh-backend-rules.ts'
import { type MeshPeer, meshPeerSpec } from './mesh-peer.ts'
import { peerRules } from './mesh-peer-rules.ts'
import { type MeshRelay, meshRelaySpec } from './mesh-relay.ts'
import { relayRules } from './mesh-relay-rules.ts'
import { type MeshRoute, meshRouteSpec } from './mesh-route.ts'
import { routeRules } from './mesh-route-rules.ts'
import { type SafetyPolicy, safetyPolicySpec } from './safety-policy.ts'
import { policyRules } from './safety-policy-rules.ts'
import {
  accessKeyStatus,
  anchorStatus,
  approvalStatus,
  backendStatus,
  cardStatus,
  meshRelayStatus,
  peerStatus,
  policyStatus,
  recordStatus,
  routeStatus,
} from './status.ts'
import { type TrustAnchor, trustAnchorSpec } from './trust-anchor.ts'
import { anchorRules } from './trust-anchor-rules.ts'

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
  SafetyPolicy: {
    name: 'SafetyPolicy',
    plural: 'safetypolicies',
    shortName: 'cwpolicy',
    description: 'What may be called, by whom, and what is recorded of it.',
    spec: safetyPolicySpec,
    status: policyStatus,
    conditions: POLICY_CONDITIONS,
    columns: [MODE, ...conditionColumns(POLICY_CONDITIONS, 'Enforced')],
    rules: policyRules,
  } satisfies Kind<'SafetyPolicy', typeof safetyPolicySpec>,
  DiscoveryRecord: {
    name: 'DiscoveryRecord',
    plural: 'discoveryrecords',
    shortName: 'cwrecord',
    description: 'What peers learn of a relay: a protocol, a way of carrying, a tool or an agent.',
    spec: discoveryRecordSpec,
    status: recordStatus,
    conditions: RECORD_CONDITIONS,
    columns: conditionColumns(RECORD_CONDITIONS, 'Published'),
    rules: recordRules,
  } satisfies Kind<'DiscoveryRecord', typeof discoveryRecordSpec>,
  AgentCard: {
    name: 'AgentCard',
    plural: 'agentcards',
    shortName: 'cwcard',
    description: 'The card of an A2A agent: where it comes from, who has signed it, and what clients get.',
    spec: agentCardSpec,
    status: cardStatus,
    conditions: CARD_CONDITIONS,
    columns: conditionColumns(CARD_CONDITIONS, 'Published'),
    rules: cardRules,
  } satisfies Kind<'AgentCard', typeof agentCardSpec>,
  TrustAnchor: {
    name: 'TrustAnchor',
    plural: 'trustanchors',
    shortName: 'cwanchor',
    description: 'Keys that this deployment trusts, and for what.',
    spec: trustAnchorSpec,
    status: anchorStatus,
    conditions: ANCHOR_CONDITIONS,
    columns: conditionColumns(ANCHOR_CONDITIONS, 'Accepted'),
    rules: anchorRules,
  } satisfies Kind<'TrustAnchor', typeof trustAnchorSpec>,
  ApprovalRequest: {
    name: 'ApprovalRequest',
    plural: 'approvalrequests',
    shortName: 'cwapproval',
    description: 'A call that waits for a person. Written by the control plane; a person sets spec.decision.',
    spec: approvalRequestSpec,
    status: approvalStatus,
    conditions: APPROVAL_CONDITIONS,
    columns: [TOOL, PRINCIPAL, DECISION, EXPIRES, ...conditionColumns(APPROVAL_CONDITIONS, 'Decided')],
    rules: approvalRules,
  } satisfies Kind<'ApprovalRequest', typeof approvalRequestSpec>,
  AccessKey: {
    name: 'AccessKey',
    plural: 'accesskeys',
    shortName: 'cwkey',
    description: 'A key that stands for a person or a program: what it opens, how long, and how much.',
    spec: accessKeySpec,
    status: accessKeyStatus,
    conditions: ACCESS_KEY_CONDITIONS,
    columns: [OWNER, KEY_EXPIRES, ...conditionColumns(ACCESS_KEY_CONDITIONS, 'Programmed')],
    rules: accessKeyRules,
  } satisfies Kind<'AccessKey', typeof accessKeySpec>,
} as const

export const KIND_NAMES: readonly KindName[] = [
  'MeshRelay',
  'MeshPeer',
  'MeshBackend',
  'MeshRoute',
  'SafetyPolicy',
  'DiscoveryRecord',
  'AgentCard',
  'TrustAnchor',
  'ApprovalRequest',
  'AccessKey',
]

export type AnyResource =
  | MeshRelay
  | MeshPeer
  | MeshBackend
  | MeshRoute
  | SafetyPolicy
  | DiscoveryRecord
  | AgentCard
  | TrustAnchor
  | ApprovalRequest
  | AccessKey

/** The object of a kind. */
export type ResourceOf<Name extends KindName> = Extract<AnyResource, { kind: Name }>

/** A whole set, each list ordered by namespace and name. */
export interface Resources {
  readonly relays: readonly MeshRelay[]
  readonly peers: readonly MeshPeer[]
  readonly backends: readonly MeshBackend[]
  readonly routes: readonly MeshRoute[]
  readonly policies: readonly SafetyPolicy[]
  readonly records: readonly DiscoveryRecord[]
  readonly cards: readonly AgentCard[]
  readonly anchors: readonly TrustAnchor[]
  readonly approvals: readonly ApprovalRequest[]
  readonly accessKeys: readonly AccessKey[]
}
