import { resolve, sep } from 'node:path'
import type { FieldFacts } from '../fields/facts.ts'
import { mapFields } from '../fields/walk.ts'
import { type AnyResource, KINDS } from '../kinds/all-kinds.ts'

/**
 * A copy of a validated resource whose file paths are absolute, relative ones starting from `folder`, where programs start
 * too that have no folder of their own.
 */
export function withAbsoluteFiles(resource: AnyResource, folder: string): AnyResource {
  const spec = mapFields(KINDS[resource.kind].spec, resource.spec, (facts, value) =>
    typeof value === 'string' && isPath(facts, value) ? resolve(folder, value) : value,
  )
  return startingIn(resolve(folder), { ...resource, spec } as AnyResource)
}

/** Arguments may name files in any form, so that nothing but the folder in which it starts makes them right. */
function startingIn(folder: string, resource: AnyResource): AnyResource {
  if (resource.kind !== 'MeshBackend') return resource
  const { mcp } = resource.spec
  const { stdio } = mcp
  if (stdio === undefined) return resource
  return { ...resource, spec: { ...resource.spec, mcp: { ...mcp, stdio: { cwd: folder, ...stdio } } } }
}

function isPath({ file, program }: FieldFacts, value: string): boolean {
  return file === true || (program === true && (value.includes('/') || value.includes(sep)))
}
