import type { Transition } from '../../sources/kubernetes/observed-status.ts'
import type { ObjectStatus } from '../object-status.ts'

/** What is applied: with the time of each condition, which is kept while its status is the same. */
export function appliedStatus(
  status: ObjectStatus,
  before: ReadonlyMap<string, Transition> | undefined,
  wallMs: number,
): Readonly<Record<string, unknown>> {
  const now = `${new Date(wallMs).toISOString().slice(0, 19)}Z`
  const conditions = status.conditions.map((condition) => {
    const last = before?.get(condition.type)
    return { ...condition, lastTransitionTime: last?.status === condition.status ? last.lastTransitionTime : now }
  })
  return { conditions, relays: status.relays, relayCount: status.relayCount }
}
