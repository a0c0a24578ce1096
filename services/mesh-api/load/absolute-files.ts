import { resolve } from 'node:path'
import { mapFields } from '../fields/walk.ts'
import { type AnyResource, KINDS } from '../kinds/all-kinds.ts'

/** A copy of a validated resource whose file paths are absolute, relative ones starting from `folder`. */
export function withAbsoluteFiles(resource: AnyResource, folder: string): AnyResource {
  const spec = mapFields(KINDS[resource.kind].spec, resource.spec, (facts, value) =>
    facts.file === true && typeof value === 'string' ? resolve(folder, value) : value,
  )
  return { ...resource, spec } as AnyResource
}
