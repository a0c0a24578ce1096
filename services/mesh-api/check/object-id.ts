import type { Reference } from '../fields/reference.ts'
import type { KindName } from '../kinds/kind.ts'

/** Which object: its kind, and `namespace/name`. */
export interface ObjectId {
  readonly kind: KindName
  readonly name: string
}

interface Named {
  readonly kind: KindName
  readonly metadata: { readonly namespace: string; readonly name: string }
}

export function idOf({ kind, metadata }: Named): ObjectId {
  return { kind, name: nameOf(metadata) }
}

export function nameOf({ namespace, name }: Named['metadata']): string {
  return `${namespace}/${name}`
}

/** `kind namespace/name`; no kind and no name has a blank. */
export function keyOf({ kind, name }: ObjectId): string {
  return `${kind} ${name}`
}

export function idOfKey(key: string): ObjectId {
  const [kind = '', name = ''] = key.split(' ')
  return { kind: kind as KindName, name }
}

/** `namespace/name` of what an object refers to: in its own namespace unless it says another. */
export function referredName(from: Pick<Named, 'metadata'>, { name, namespace }: Reference): string {
  return `${namespace ?? from.metadata.namespace}/${name}`
}

export function namespaceOf(name: string): string {
  return name.slice(0, name.indexOf('/'))
}

/** The order in which objects come first (CONTROL section 1): by namespace, then by name. */
export function compareNames(a: string, b: string): number {
  const [slashA, slashB] = [a.indexOf('/'), b.indexOf('/')]
  return compare(a.slice(0, slashA), b.slice(0, slashB)) || compare(a.slice(slashA), b.slice(slashB))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
