import type { KindName } from '@causeway/mesh-api'
import type { MeshObject } from '../../objects/mesh-object.ts'

/** What `causeway check` saw of a cluster, at one time. Parts that could not be had are left out. */
export interface ClusterSnapshot {
  readonly nowMs: number
  /** Of this command. */
  readonly version: string
  /** Why nothing else is here. */
  readonly unreachable?: string
  readonly apiServer?: { readonly major: number; readonly minor: number }
  readonly definitions?: ReadonlyMap<KindName, DefinitionState>
  readonly installations?: readonly Installation[]
  /** Set where one installation was asked for. */
  readonly onlyInstallation?: string
  readonly objects?: readonly MeshObject[]
  /** Of each namespace with a relay: when the authorities of its trust bundle end; undefined: there is no bundle. */
  readonly bundles?: ReadonlyMap<string, TrustBundle | undefined>
  /** What we may not read. */
  readonly forbidden: readonly string[]
}

export type DefinitionState =
  | { readonly state: 'served'; readonly missingFields: readonly string[] }
  | { readonly state: 'missing' | 'going' | 'not established' }

export interface Installation {
  readonly namespace: string
  readonly operator?: Workload
  readonly controlPlane?: Workload
  /** Undefined: all. */
  readonly watchNamespaces?: readonly string[]
  readonly operatorLease?: LeaseState
  readonly controlPlaneLease?: LeaseState
}

export interface Workload {
  readonly desired: number
  readonly available: number
  readonly image: string
}

export interface LeaseState {
  readonly holder: string
  readonly renewedAtMs: number
}

export interface TrustBundle {
  /** The authority whose end comes first; undefined: what is in there is no certificate. */
  readonly endsAtMs?: number
}

/** Whether an installation looks after a namespace. */
export function watches({ watchNamespaces }: Installation, namespace: string): boolean {
  return watchNamespaces === undefined || watchNamespaces.includes(namespace)
}

export function isRunning(workload: Workload | undefined): boolean {
  return workload !== undefined && workload.available > 0
}
