import type { Clock, EventRecorder, EventTarget, KubeClient, ReconcileResult } from '@causeway/kube'
import { API_VERSION, type KindName, type MeshEffect } from '@causeway/mesh-api'
import type { Logger } from '@causeway/telemetry'
import type { Installation } from '../infra/relay-input.ts'
import type { MeshSet } from '../world/mesh-set.ts'
import type { MeshView } from '../world/mesh-view.ts'
import type { MeshObject } from '../world/resource-types.ts'
import type { Change, World } from '../world/world.ts'

/** One responsibility of the operator: gather, decide by pure checks, apply. */
export interface Responsibility {
  /** For metrics and the log. */
  readonly name: string
  readonly workers: number
  /** What must be looked at at the start, whatever there is. */
  readonly firstKeys?: readonly string[]
  /** What must be looked at because of a change. */
  keysOf(change: Change, effect: MeshEffect): Iterable<string>
  /** Brings what the key names to where it should be; see `ControllerOptions` of @causeway/kube. */
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>
}

/** What every responsibility works with. */
export interface Tools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly world: World
  readonly view: MeshView
  readonly mesh: MeshSet
  readonly events: Pick<EventRecorder, 'record'>
  readonly logger: Logger
  readonly installation: Installation
  /** Has the keys looked at by another responsibility. */
  readonly enqueue: (responsibility: string, key: string) => void
}

/** An object as events name it. */
export function regarding(kind: KindName, { metadata }: MeshObject): EventTarget {
  const { name, namespace, uid } = metadata
  return { apiVersion: API_VERSION, kind, name, namespace, uid }
}
