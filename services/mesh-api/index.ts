/** The resource kinds of the mesh: schemas, types, validation of whole sets, and the loader of files. */

export { type Claim, claimsOf } from './check/collisions.ts'
export type { Finding } from './check/finding.ts'
export type { Labels } from './check/grants.ts'
export { compareNames, idOf, keyOf, nameOf, type ObjectId, referredName } from './check/object-id.ts'
export type { Place } from './check/places.ts'
export { type ReferenceSite, referencesOf } from './check/references-of.ts'
export { durationMs, parseDuration } from './fields/duration.ts'
export type { Grant } from './fields/grant.ts'
export { parseNpampUrl } from './fields/host.ts'
export type { Reference } from './fields/reference.ts'
export { HEADER_VALUE, MAX_HEADER_VALUE } from './fields/texts.ts'
export type { AccessKey, AccessKeySpec } from './kinds/access-key.ts'
export type { AgentCard, AgentCardSpec } from './kinds/agent-card.ts'
export { type AnyResource, KIND_NAMES, KINDS, type ResourceOf, type Resources } from './kinds/all-kinds.ts'
export type { ApprovalRequest, ApprovalRequestSpec } from './kinds/approval-request.ts'
export type { DiscoveryRecord, DiscoveryRecordSpec } from './kinds/discovery-record.ts'
export { API_VERSION, type Kind, type KindName, type Resource, type Rule } from './kinds/kind.ts'
export { type MeshBackend, type MeshBackendSpec, STDIO_LIMIT_DEFAULTS, wireNameOf } from './kinds/mesh-backend.ts'
export type { MeshPeer, MeshPeerSpec } from './kinds/mesh-peer.ts'
export type { MeshRelay, MeshRelaySpec } from './kinds/mesh-relay.ts'
export type { MeshRoute, MeshRouteSpec } from './kinds/mesh-route.ts'
export { isWrittenByRelay } from './kinds/mesh-server-rules.ts'
export type { Metadata } from './kinds/metadata.ts'
export { isNeverAccepted } from './kinds/never-accepted.ts'
export { NOT_IMPLEMENTED, notImplemented } from './kinds/not-implemented.ts'
export type { SafetyPolicy, SafetyPolicySpec } from './kinds/safety-policy.ts'
export type { TrustAnchor, TrustAnchorSpec } from './kinds/trust-anchor.ts'
export { nearest } from './load/did-you-mean.ts'
export { type FieldPath, formatFieldPath, printable } from './load/field-path.ts'
export { type LoadOptions, loadResources } from './load/load.ts'
export { ConfigurationError, formatProblem, type Problem } from './load/problem.ts'
export { readSourceFiles } from './load/read-source-file.ts'
export type { SourceFile } from './load/source-file.ts'
export { allOf, type CheckOptions, checkResources } from './mesh/check-resources.ts'
export { closureOf } from './mesh/closure.ts'
export type { Closure, MeshChange, MeshEffect, MeshIndexOptions } from './mesh/contract.ts'
export { MeshIndex } from './mesh/mesh-index.ts'
export { redacted } from './redacted.ts'
export type { Fault } from './validate/fault.ts'
export { type Validated, validateChange, validateObject } from './validate/validate.ts'
export { credentialFile, type DataEntry } from './workload/credential-file.ts'
export {
  CA_SECRET_NAME,
  CONTROL_PLANE_PORTS,
  CONTROL_PLANE_SERVICE_NAME,
  CONTROL_PLANE_TLS_NAME,
  clientCertificateName,
  credentialsName,
  DATA_KEYS,
  DEFAULT_TRUST_DOMAIN,
  FIELD_MANAGERS,
  type IdentitySlot,
  IN_USE_FINALIZER,
  identitySecretName,
  LEASES,
  podsServiceName,
  RELAY_LABEL,
  RELEASE_ANNOTATION,
  TRUST_BUNDLE_NAME,
  workloadLabels,
  workloadName,
} from './workload/names.ts'
