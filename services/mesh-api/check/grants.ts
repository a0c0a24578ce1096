import type { Grant } from '../fields/grant.ts'
import type { AnyResource } from '../kinds/all-kinds.ts'

export type Labels = Readonly<Record<string, string>>

/** Whether objects of a namespace with these labels may refer to an object. A kind without a grant is for its own namespace. */
export function permits(object: AnyResource, namespace: string, labels: Labels): boolean {
  if (object.metadata.namespace === namespace) return true
  const grant: Grant | undefined = 'allowedNamespaces' in object.spec ? object.spec.allowedNamespaces : undefined
  switch (grant?.from) {
    case 'All':
      return true
    case 'Selector':
      return hasLabels(grant.selector?.matchLabels, labels)
    default:
      return false
  }
}

/** A selector that is not there selects nothing, and one without labels everything. */
export function hasLabels(wanted: Labels | undefined, labels: Labels): boolean {
  return wanted !== undefined && Object.entries(wanted).every(([key, value]) => labels[key] === value)
}
