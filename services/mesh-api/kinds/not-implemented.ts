import type { AnyResource } from './all-kinds.ts'
import type { KindName } from './kind.ts'

/**
 * The fields of an object that the schema takes and relays refuse, each as in `spec.terminating`, in the order of the
 * table: reason NotImplemented, message `<fieldPath> is not implemented yet`. Empty: this version does all that it says.
 */
export function notImplemented(resource: AnyResource): readonly string[] {
  const rows = NOT_IMPLEMENTED.filter(({ kind, isUsed }) => kind === resource.kind && isUsed(resource))
  return rows.map(({ fieldPath }) => fieldPath)
}

interface Row {
  readonly kind: KindName
  readonly fieldPath: string
  /** Of an object of this kind. */
  readonly isUsed: (resource: AnyResource) => boolean
}

type Of<Name extends KindName> = Extract<AnyResource, { kind: Name }>

function row<Name extends KindName>(kind: Name, fieldPath: string, isUsed: (resource: Of<Name>) => boolean): Row {
  return { kind, fieldPath, isUsed: (resource) => resource.kind === kind && isUsed(resource as Of<Name>) }
}

/** What is in the schemas from the start and comes to work with an issue of its own. */
export const NOT_IMPLEMENTED: readonly Row[] = [
  row('MeshRelay', 'spec.listeners.a2a', ({ spec }) => spec.listeners.a2a !== undefined),
  row('MeshRelay', 'spec.listeners.agentClient', ({ spec }) => spec.listeners.agentClient !== undefined),
  row('MeshRelay', 'spec.profiles', ({ spec }) => spec.profiles.some((profile) => profile !== 'Standard')),
  row('MeshRelay', 'spec.audit.durability', ({ spec }) => spec.audit.durability === 'remote'),
  row('MeshRelay', 'spec.telemetry.otlp', ({ spec }) => spec.telemetry.otlp !== undefined),
  row('MeshPeer', 'spec.profile', ({ spec }) => spec.profile !== 'Standard'),
  row('MeshPeer', 'spec.protocols', ({ spec }) => spec.protocols.includes('a2a')),
  row('MeshPeer', 'spec.trustPrincipalsFrom', ({ spec }) => spec.trustPrincipalsFrom !== 'none'),
  row('MeshBackend', 'spec.a2a', ({ spec }) => spec.a2a !== undefined),
  row('MeshBackend', 'spec.workload', ({ spec }) => spec.workload !== undefined),
  row('MeshBackend', 'spec.via', ({ spec }) => spec.via !== undefined),
  row('MeshRoute', 'spec.terminating', ({ spec }) => spec.terminating !== undefined),
  row('MeshRoute', 'spec.authentication', ({ spec }) => spec.authentication !== undefined),
  row('MeshRoute', 'spec.principals', ({ spec }) => spec.principals !== undefined),
  row('MeshRoute', 'spec.captureHeaders', ({ spec }) => spec.captureHeaders.length > 0),
  row('SafetyPolicy', 'spec', () => true),
  row('DiscoveryRecord', 'spec', () => true),
  row('AgentCard', 'spec', () => true),
  row('ApprovalRequest', 'spec', () => true),
  row('AccessKey', 'spec', () => true),
]
