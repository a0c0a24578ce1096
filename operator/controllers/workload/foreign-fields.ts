import type { JsonPatchOperation, KubeObject, ManagedFieldsEntry } from '@causeway/kube'

/** A tree of `fieldsV1`: `f:name`, `k:{...}`, `v:...` and `i:n`, and `.` for the thing itself. */
interface Fields {
  readonly [step: string]: Fields
}

/** What a field of somebody else is, and how it is removed. */
export interface ForeignField {
  /** JSON pointer in the object. */
  readonly pointer: string
  readonly manager: string
}

/** A person asked for new pods; taking that back would replace them a second time. */
const RESTARTED_AT = '/metadata/annotations/kubectl.kubernetes.io~1restartedAt'

/**
 * Fields below `root` (as `['spec', 'template']`) that another manager owns and `own` does not: those that are removed
 * (CONTROL section 5). Deepest list entries first, so that removing one does not move the next.
 */
export function foreignFields(object: KubeObject, root: readonly string[], own: string): ForeignField[] {
  const entries = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined)
  const ours = descend(
    fieldsOf(entries.find(({ manager, operation }) => manager === own && operation === 'Apply')),
    root,
  )
  const value = root.reduce<unknown>((at, step) => member(at, step), object)
  const pointer = root.map((step) => `/${escapeStep(step)}`).join('')
  const found: ForeignField[] = []
  for (const entry of entries) {
    // We only apply. Whoever else calls himself as we are called has not become us.
    if (entry.manager === own && entry.operation === 'Apply') continue
    const theirs = descend(fieldsOf(entry), root)
    if (theirs !== undefined) collect(theirs, ours, value, pointer, entry.manager ?? 'unknown', found)
  }
  return unique(found)
    .filter(({ pointer: one }) => !one.endsWith(RESTARTED_AT))
    .sort(deepestFirst)
}

/** A patch that removes them from exactly the version that was looked at. */
export function removal(object: KubeObject, fields: readonly ForeignField[]): readonly JsonPatchOperation[] {
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    ...fields.map(({ pointer }): JsonPatchOperation => ({ op: 'remove', path: pointer })),
  ]
}

function collect(
  theirs: Fields,
  ours: Fields | undefined,
  value: unknown,
  pointer: string,
  manager: string,
  found: ForeignField[],
): void {
  for (const [step, below] of Object.entries(theirs)) {
    if (step === '.') continue
    const at = resolve(step, value)
    if (at === undefined) continue
    const child = `${pointer}/${escapeStep(String(at.key))}`
    const mine = ours?.[step]
    if (mine === undefined) found.push({ pointer: child, manager })
    else collect(below, mine, at.value, child, manager, found)
  }
}

/** Where a step of `fieldsV1` leads; undefined when the object has no such thing any more. */
function resolve(step: string, value: unknown): { readonly key: string | number; readonly value: unknown } | undefined {
  const kind = step.slice(0, 2)
  const rest = step.slice(2)
  if (kind === 'f:') {
    const found = member(value, rest)
    return found === undefined ? undefined : { key: rest, value: found }
  }
  if (!Array.isArray(value)) return undefined
  const index = kind === 'i:' ? Number(rest) : value.findIndex((entry) => matches(kind, parse(rest), entry))
  return index in value ? { key: index, value: value[index] } : undefined
}

function matches(kind: string, wanted: unknown, entry: unknown): boolean {
  if (kind === 'v:') return entry === wanted
  if (kind !== 'k:' || typeof wanted !== 'object' || wanted === null) return false
  return Object.entries(wanted).every(([name, value]) => member(entry, name) === value)
}

function fieldsOf(entry: ManagedFieldsEntry | undefined): Fields | undefined {
  return entry?.fieldsV1 as Fields | undefined
}

function descend(fields: Fields | undefined, root: readonly string[]): Fields | undefined {
  return root.reduce<Fields | undefined>((at, step) => at?.[`f:${step}`], fields)
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** RFC 6901. */
function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unique(fields: readonly ForeignField[]): ForeignField[] {
  const pointers = new Map(fields.map((field) => [field.pointer, field]))
  // What goes with something above it is not removed a second time.
  return [...pointers.values()].filter(({ pointer }) => !hasAncestor(pointer, pointers))
}

function hasAncestor(pointer: string, pointers: ReadonlyMap<string, ForeignField>): boolean {
  for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1))
    if (pointers.has(pointer.slice(0, at))) return true
  return false
}

function deepestFirst(one: ForeignField, other: ForeignField): number {
  const [a, b] = [one.pointer.split('/'), other.pointer.split('/')]
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] === b[at]) continue
    const [x, y] = [Number(a[at]), Number(b[at])]
    return Number.isNaN(x) || Number.isNaN(y) ? String(a[at]).localeCompare(String(b[at])) : y - x
  }
  return b.length - a.length
}
