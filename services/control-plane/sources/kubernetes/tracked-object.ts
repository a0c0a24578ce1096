import { createHash } from 'node:crypto'
import type { KubeObject } from '@causeway/kube'
import type { KindName } from '@causeway/mesh-api'
import { type ObservedStatus, observeStatus } from './observed-status.ts'
import { type ReadObject, readObject, type StoredObject } from './read-object.ts'

/** All that is kept of an object: enough to see whether a new version says anything new. */
export interface TrackedObject extends KubeObject {
  readonly fingerprint: string
  readonly status: ObservedStatus
  /** What has not been told yet; whoever tells it takes it away. */
  untold: ReadObject | undefined
}

/** Status written by us, or by the operator about something else, leaves the fingerprint as it is: nothing is told. */
export function trackObject(kind: KindName, stored: StoredObject, old: TrackedObject | undefined): TrackedObject {
  const { name, namespace, uid, resourceVersion } = stored.metadata
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  const fingerprint = fingerprintOf(stored)
  const status = observeStatus(kind, stored)
  if (old?.fingerprint === fingerprint) return { metadata, fingerprint, status, untold: old.untold }
  return { metadata, fingerprint, status, untold: readObject(kind, stored) }
}

/** Of everything that a SourceObject is made of; the API server counts every change of `spec` in `generation`. */
function fingerprintOf({ metadata, status }: StoredObject): string {
  const { uid, generation, deletionTimestamp, labels, annotations } = metadata
  const { controller, identity, credentials } = (status ?? {}) as Readonly<Record<string, unknown>>
  const parts = [uid, generation, deletionTimestamp, labels, annotations, controller, identity, credentials]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
