import { type AnyResource, API_VERSION, redacted, referencesOf, validateObject } from '@causeway/mesh-api'
import type { MeshObject } from './mesh-object.ts'

/** What an object names: `kind namespace/name` each, once. Nothing where the object is not valid any more. */
export function namedBy(object: MeshObject): readonly string[] {
  const resource = resourceOf(object)
  if (resource === undefined) return []
  return [...new Set(referencesOf(resource).map(({ to }) => `${to.kind}/${to.name}`))]
}

/** Its spec with its defaults, and without what nobody should see; as it is stored where it is not valid any more. */
export function printableSpec(object: MeshObject): Readonly<Record<string, unknown>> | undefined {
  const resource = resourceOf(object)
  return resource === undefined ? undefined : (redacted(resource).spec as unknown as Record<string, unknown>)
}

function resourceOf({ kind, namespace, name, spec }: MeshObject): AnyResource | undefined {
  const validated = validateObject(kind, { apiVersion: API_VERSION, kind, metadata: { namespace, name }, spec })
  return 'resource' in validated ? validated.resource : undefined
}
