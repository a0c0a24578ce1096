import { IN_USE_FINALIZER, type KindName } from '@causeway/mesh-api'

/** A resource and what is known of it, from wherever: what the commands that look at a mesh work with. */
export interface MeshObject {
  readonly kind: KindName
  readonly namespace: string
  readonly name: string
  /** 0 where nothing counts its changes. */
  readonly generation: number
  readonly labels: Readonly<Record<string, string>>
  /** Deleted, and still there: somebody holds it. */
  readonly isDeleting: boolean
  readonly isHeld: boolean
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: MeshStatus
}

interface MeshStatus {
  readonly conditions: readonly Condition[]
  /** The installation that has accepted it. */
  readonly controller?: string
  readonly relayCount?: number
  readonly relays: readonly InstanceStatus[]
  readonly identity?: Readonly<Record<string, string>>
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
  readonly reason: string
  readonly message: string
}

interface InstanceStatus {
  readonly namespace?: string
  readonly relay: string
  readonly instance: string
  readonly programmed: string
  readonly reason?: string
  readonly message?: string
}

/** As an API server or `/status` sends it; both have validated what it is. */
export interface WrittenObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly generation?: number
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
    readonly finalizers?: readonly string[]
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Partial<MeshStatus>
}

export function meshObject(kind: KindName, { metadata, spec = {}, status = {} }: WrittenObject): MeshObject {
  return {
    kind,
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    generation: metadata.generation ?? 0,
    labels: metadata.labels ?? {},
    isDeleting: metadata.deletionTimestamp !== undefined,
    isHeld: metadata.finalizers?.includes(IN_USE_FINALIZER) === true,
    spec,
    status: { ...status, conditions: status.conditions ?? [], relays: status.relays ?? [] },
  }
}

/** `kind/namespace/name`: how people are told of it. */
export function titleOf({ kind, namespace, name }: Pick<MeshObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`
}

/** Of the relays that it is for, `namespace/name`; a MeshRelay is for itself. */
export function relaysOf({ kind, namespace, name, spec }: MeshObject): readonly string[] {
  if (kind === 'MeshRelay') return [`${namespace}/${name}`]
  const refs = Array.isArray(spec.relayRefs) ? (spec.relayRefs as { name: string; namespace?: string }[]) : []
  return refs.map((ref) => `${ref.namespace ?? namespace}/${ref.name}`)
}
