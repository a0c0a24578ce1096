import { microTime } from '../micro-time.ts'
import type { KubeObject, ResourceType } from '../objects.ts'

/** coordination.k8s.io/v1. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}

export interface LeaseSpec {
  /** Empty or absent: nobody has it. */
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

export const LEASES: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

/** The spec with which `identity` takes or renews the lease. */
export function heldBy(
  identity: string,
  before: LeaseSpec | undefined,
  leaseDurationMs: number,
  wallMs: number,
): LeaseSpec {
  const renewTime = microTime(wallMs)
  const isRenewal = before?.holderIdentity === identity
  const transitions = before?.leaseTransitions ?? 0
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    acquireTime: isRenewal ? (before.acquireTime ?? renewTime) : renewTime,
    renewTime,
    leaseTransitions: isRenewal || before === undefined ? transitions : transitions + 1,
  }
}

/** The spec of a lease that is given back: whoever looks next may take it at once. */
export function released(before: LeaseSpec, wallMs: number): LeaseSpec {
  const { acquireTime: _, ...rest } = before
  return { ...rest, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(wallMs) }
}
