import type { KubeObject } from '../objects.ts'

/** Without `managedFields`, which are often larger than the object and nobody's configuration. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
