import { resolve, sep } from 'node:path'
import type { FieldFacts } from '../fields/facts.ts'
import { mapFields } from '../fields/walk.ts'
import { type AnyResource, KINDS } from '../kinds/all-kinds.ts'

/** A copy of a validated resource whose file paths are absolute, relative ones starting from `folder`. */
export function withAbsoluteFiles(resource: AnyResource, folder: string): AnyResource {
  const spec = mapFields(KINDS[resource.kind].spec, resource.spec, (facts, value) =>
    typeof value === 'string' && isPath(facts, value) ? resolve(folder, value) : value,
  )
  return { ...resource, spec } as AnyResource
}

function isPath({ file, program }: FieldFacts, value: string): boolean {
  return file === true || (program === true && (value.includes('/') || value.includes(sep)))
}
