import { KINDS } from '@causeway/mesh-api'
import type { Condition, MeshObject } from './mesh-object.ts'

/** The first thing that is not well with an object: what comes after it is often only its consequence. */
export interface Trouble {
  readonly level: 'warning' | 'failed'
  /** Of the condition; empty where there is none yet. */
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly since?: string
}

/** Undefined: all is well, as far as anybody has said. */
export function troubleOf(object: MeshObject): Trouble | undefined {
  const { conditions } = object.status
  const accepted = conditions.find(({ type }) => type === 'Accepted')
  if (accepted === undefined) return unjudged('NotJudged', 'no operator has looked at it yet')
  // Being deleted counts as a change too, which nobody has to look at.
  if (!object.isDeleting && (accepted.observedGeneration ?? object.generation) < object.generation) {
    return unjudged('Outdated', 'the operator has not looked at its latest change yet')
  }
  // In the order of the kind: what comes first is the cause.
  for (const { type } of KINDS[object.kind].conditions) {
    const condition = conditions.find((one) => one.type === type)
    const level = condition && levelOf(condition, object)
    if (condition === undefined || level === undefined) continue
    const { reason, message, lastTransitionTime } = condition
    return { level, type, reason, message, ...(lastTransitionTime === undefined ? {} : { since: lastTransitionTime }) }
  }
  return undefined
}

function unjudged(reason: string, message: string): Trouble {
  return { level: 'warning', type: 'Accepted', reason, message }
}

function levelOf({ type, status, reason }: Condition, { spec }: MeshObject): Trouble['level'] | undefined {
  switch (type) {
    case 'SuccessorPinned':
      return undefined
    case 'IdentityExpiring':
      return status === 'True' ? 'warning' : undefined
    case 'PostQuantum':
      return status === 'False' && spec.postQuantum !== 'observe' ? 'warning' : undefined
    default:
      if (status === 'False') return 'failed'
      return status === 'Unknown' && !EXPECTED_UNKNOWN.has(reason) ? 'warning' : undefined
  }
}

/**
 * CONTROL section 4: nobody has asked for an onDemand peer or for a server yet, which is how it should be. And of what this
 * version does not do nobody can say how it is.
 */
const EXPECTED_UNKNOWN: ReadonlySet<string> = new Set(['NotDialled', 'NotTried', 'NotAsked', 'NotImplemented'])

/** What to do, for the reasons where that can be said. */
export function hintFor(reason: string): string | undefined {
  return HINTS[reason]
}

const HINTS: Readonly<Record<string, string>> = {
  NotFound: 'create what it names, or let the spec.allowedNamespaces of that permit this namespace',
  NotJudged: 'an operator has to run and to watch this namespace: see installation',
  Outdated: 'look again in a moment; if it stays so, the log of the operator says why',
  NameTaken: 'give one of the two another name (spec.meshName)',
  InvalidStored: 'the last valid version stays in force; write the object anew as the message says',
  NotImplemented: 'leave the field out: a relay refuses the whole object for it',
  TargetDeleted: 'point it to something else, or delete it too',
  IdentityLost:
    'put the Secret back from a backup, or delete the MeshRelay and its other Secret to begin with a new identity',
  IdentityDamaged: 'put the Secret back from a backup: what is in it now is no key',
  OtherInstallation: 'two installations look after this namespace: give each its own watchNamespaces',
  NoRelay: 'the relay that it names has to run and to reach the control plane: kubectl describe its pods',
  CredentialPending: 'look again in a minute: kubelet takes its time to mount a changed Secret',
  Rejected: 'the log of the instance that the message names says more',
}
