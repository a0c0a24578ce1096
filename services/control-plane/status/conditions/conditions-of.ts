import { KINDS, type KindName } from '@causeway/mesh-api'
import type { ObjectState } from '../../snapshot/object-state.ts'
import type { Concerned } from '../concerned.ts'
import type { ReportedCondition } from '../object-status.ts'
import { authorized, backendReachable } from './backend.ts'
import { identityExpiring, peerReachable, postQuantum, successorPinned } from './peer.ts'
import { programmed } from './programmed.ts'
import { no, unknown, type Verdict } from './verdict.ts'

/** What a condition is judged by. */
export interface Facts {
  readonly state: ObjectState
  readonly concerned: readonly Concerned[]
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** Every condition of the kind whose writer is the control plane. Pure. */
export function conditionsOf(kind: KindName, facts: Facts): readonly ReportedCondition[] {
  const observedGeneration = facts.state.generation
  return typesOf(kind).map((type) => ({ type, observedGeneration, ...verdictOf(kind, type, facts) }))
}

/** The same while a new leader does not know all instances yet (CONTROL section 4). */
export function collectingConditions(kind: KindName, { generation }: ObjectState): readonly ReportedCondition[] {
  const verdict = unknown('Collecting', 'the control plane has begun to lead and asks the relay instances')
  return typesOf(kind).map((type) => ({ type, observedGeneration: generation, ...verdict }))
}

function typesOf(kind: KindName): readonly string[] {
  return KINDS[kind].conditions.filter(({ writer }) => writer === 'control plane').map(({ type }) => type)
}

function verdictOf(kind: KindName, type: string, { state, concerned, nowMs }: Facts): Verdict {
  const rule = RULES[`${kind} ${type}`]
  if (type === 'Programmed') return programmed(state, concerned)
  return rule?.(concerned, nowMs) ?? no('NotImplemented', `${type} is not implemented yet`)
}

const RULES: Readonly<Record<string, (concerned: readonly Concerned[], nowMs: number) => Verdict>> = {
  'MeshRelay AuditReady': () => unknown('NotImplemented', 'the audit log is not implemented yet'),
  'MeshPeer Reachable': peerReachable,
  'MeshPeer PostQuantum': postQuantum,
  'MeshPeer IdentityExpiring': identityExpiring,
  'MeshPeer SuccessorPinned': successorPinned,
  'MeshBackend Reachable': backendReachable,
  'MeshBackend Authorized': authorized,
}
