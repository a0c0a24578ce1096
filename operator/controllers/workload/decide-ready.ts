import type { Verdict } from '../../status/condition.ts'
import type { IdentityVerdict } from '../identity/controller.ts'

export interface ReadyFacts {
  readonly identity: IdentityVerdict
  /** Objects of our names that are not ours, as `Service causeway-edge`. */
  readonly taken: readonly string[]
  readonly statefulSet: StatefulSetFacts | undefined
  /** What a person should know besides; told behind a True. */
  readonly remarks: readonly string[]
}

export interface StatefulSetFacts {
  readonly generation: number
  readonly observedGeneration: number
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
  /** Whether all pods are of the present revision. */
  readonly isUpdated: boolean
}

/** Ordered: the first that holds is what a person has to look at. */
export function decideReady({ identity, taken, statefulSet, remarks }: ReadyFacts): Verdict {
  if (identity.kind === 'bad') return no(identity.reason, identity.message)
  if (taken.length > 0)
    return no('NameTaken', `${taken.join(', ')} exists and does not belong to this relay; delete or rename it`)
  if (identity.kind === 'pending') return no('IdentityPending', 'the identity key is being made')
  if (statefulSet === undefined || statefulSet.observedGeneration < statefulSet.generation)
    return no('Progressing', 'the StatefulSet is being brought up to date')
  const { replicas, readyReplicas, updatedReplicas } = statefulSet
  if (replicas === 0) return yes('ScaledToZero', 'no instances are wanted', remarks)
  if (readyReplicas < replicas) return no('InstancesNotReady', `${readyReplicas} of ${replicas} instances are ready`)
  if (!statefulSet.isUpdated)
    return yes('Updating', `${updatedReplicas} of ${replicas} instances are of the present revision`, remarks)
  const waits = identity.waitsFor === undefined ? [] : [`the rotation of the identity waits for ${identity.waitsFor}`]
  return yes('Ready', `${readyReplicas} of ${replicas} instances are ready`, [...waits, ...remarks])
}

function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message }
}

function yes(reason: string, message: string, remarks: readonly string[]): Verdict {
  return { status: 'True', reason, message: [message, ...remarks].join('; ') }
}
