/** Of metadata, what an API server writes. */
const WRITTEN_BY_SERVER: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
])

/** What a person says of an object. A file may be what kubectl has printed, with all that a cluster wrote down besides. */
export function described(object: unknown): unknown {
  if (!isMap(object)) return object
  const { status: _, ...rest } = object
  const { metadata } = rest
  if (!isMap(metadata)) return rest
  const said = Object.entries(metadata).filter(([field]) => !WRITTEN_BY_SERVER.has(field))
  return { ...rest, metadata: Object.fromEntries(said) }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
