import { Informer, type InformerListener, type InformerOptions, keyOf, type ResourceType } from '@causeway/kube'
import { API_VERSION, KINDS, type KindName } from '@causeway/mesh-api'
import type { PendingChange } from './pending-change.ts'
import type { StoredObject } from './read-object.ts'
import { type TrackedObject, trackObject } from './tracked-object.ts'

export interface KindListener extends Pick<InformerListener<TrackedObject>, 'synced' | 'moved' | 'failing'> {
  /** What the control plane writes into the status of this object (`namespace/name`) stands there differently now. */
  readonly statusChanged: (name: string) => void
}

/** An informer of one kind that leaves what it learns in `pending`. */
export function kindInformer(
  kind: KindName,
  options: Omit<InformerOptions<StoredObject, TrackedObject>, 'type' | 'strip'>,
  pending: PendingChange,
  listener: KindListener,
): Informer<StoredObject, TrackedObject> {
  return new Informer<StoredObject, TrackedObject>(
    { ...options, type: typeOf(kind), strip: (stored, old) => trackObject(kind, stored, old) },
    {
      ...listener,
      upsert: (object, old) => {
        const { untold } = object
        object.untold = undefined
        if (untold?.is === 'valid') pending.valid(untold.object)
        else if (untold?.is === 'invalid') pending.invalid(untold.object)
        if (object.status.digest !== old?.status.digest) listener.statusChanged(keyOf(object.metadata))
      },
      remove: ({ metadata }) => pending.removed(keyOf(metadata)),
    },
  )
}

/** How objects of one of our kinds are reached. */
export function typeOf(kind: KindName): ResourceType<StoredObject> {
  const [group = '', version = ''] = API_VERSION.split('/')
  return { group, version, plural: KINDS[kind].plural, kind, namespaced: true }
}
