import type { ObjectRef, ResourceType } from '../objects.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** `/api/v1/namespaces/NS/secrets`; without a namespace, all of them. */
export function collectionPath(type: ResourceType<never>, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}${scope}/${type.plural}`
}

/** The path of one object. */
export function objectPath(type: ResourceType<never>, ref: ObjectRef, subresource?: string): string {
  if (type.namespaced && ref.namespace === undefined) {
    throw new TypeError(`${type.plural} ${ref.name}: objects of this type are in a namespace`)
  }
  const object = `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}`
  return subresource === undefined ? object : `${object}/${subresource}`
}

/** Members that are undefined are left out. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

/** `get secrets team-a/x`: how requests are called in errors and metrics. */
export function describe(
  verb: string,
  type: ResourceType<never>,
  ref?: Partial<ObjectRef>,
  subresource?: string,
): string {
  const target = [ref?.namespace, ref?.name].filter((part) => part !== undefined).join('/')
  const plural = subresource === undefined ? type.plural : `${type.plural}/${subresource}`
  return target === '' ? `${verb} ${plural}` : `${verb} ${plural} ${target}`
}
