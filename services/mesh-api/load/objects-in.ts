import type { Locator } from './locate.ts'

export interface FoundObject {
  readonly value: unknown
  readonly locator: Locator
}

/** The objects of one document: itself, or the items of the list that `kubectl get --output yaml` prints of several. */
export function objectsIn(value: unknown, locator: Locator): readonly FoundObject[] {
  if (!isList(value)) return [{ value, locator }]
  return value.items.map((item: unknown, index) => ({ value: item, locator: locator.within(['items', index]) }))
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  if (typeof value !== 'object' || value === null) return false
  const { apiVersion, kind, items } = value as { apiVersion?: unknown; kind?: unknown; items?: unknown }
  return apiVersion === 'v1' && kind === 'List' && Array.isArray(items)
}
