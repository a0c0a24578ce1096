import type { KubeObject } from '@causeway/kube'
import { formatFieldPath, type KindName, validateObject } from '@causeway/mesh-api'
import type { InvalidObject, SourceObject } from '../source.ts'
import { readStatus } from './read-status.ts'

/** An object of one of our kinds as it is stored: nothing of it is known before it has been validated. */
export interface StoredObject extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

export type ReadObject =
  | { readonly is: 'valid'; readonly object: SourceObject }
  | { readonly is: 'invalid'; readonly object: InvalidObject }

/**
 * Validates a stored object by this version's schema and rules, not by those under which it was stored: one that they
 * admit no more is `invalid` (CONTROL section 1).
 */
export function readObject(kind: KindName, stored: StoredObject): ReadObject {
  const { name, namespace = '', labels, annotations, uid = '', generation = 0 } = stored.metadata
  const validated = validateObject(kind, {
    apiVersion: stored.apiVersion,
    kind,
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: stored.spec,
  })
  if ('faults' in validated) {
    const problems = validated.faults.map(({ path, message }) => ({ fieldPath: formatFieldPath(path), message }))
    return { is: 'invalid', object: { kind, name: `${namespace}/${name}`, uid, generation, problems } }
  }
  const isDeleting = stored.metadata.deletionTimestamp !== undefined
  const status = readStatus(stored.status)
  return { is: 'valid', object: { resource: validated.resource, uid, generation, isDeleting, status } }
}
