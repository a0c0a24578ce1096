import type { Resources } from '../kinds/all-kinds.ts'
import { checkCollisions } from './collisions.ts'
import type { Finding } from './finding.ts'
import { indexOf } from './index-of.ts'
import { checkListeners } from './listeners.ts'
import { checkReferences } from './references.ts'

/**
 * Judges a set of objects, each valid by itself, as a whole: references, grants, collisions (CONTROL section 4). Pure;
 * the files source refuses what it finds, an operator writes it into conditions. `declared` are the `kind namespace/name`
 * of objects that exist but are not valid by themselves: nobody is blamed for naming one.
 */
export function checkResources(resources: Resources, declared: ReadonlySet<string> = new Set()): Finding[] {
  const index = indexOf(resources, declared)
  return [...checkReferences(resources, index), ...checkCollisions(resources), ...checkListeners(resources, index)]
}
