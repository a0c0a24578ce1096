import type { Resources } from '../kinds/all-kinds.ts'
import { checkCollisions } from './collisions.ts'
import type { Finding } from './finding.ts'
import { indexOf } from './index-of.ts'
import { checkListeners } from './listeners.ts'
import { checkPlace, type Place } from './places.ts'
import { checkReferences } from './references.ts'

export interface CheckOptions {
  readonly place: Place
  /** `kind namespace/name` of objects that exist but are not valid by themselves: nobody is blamed for naming one. */
  readonly declared?: ReadonlySet<string>
}

/**
 * Judges a set of objects, each valid by itself, as a whole: references, grants, collisions (CONTROL section 4). Pure;
 * the files source refuses what it finds, an operator writes it into conditions.
 */
export function checkResources(resources: Resources, { place, declared = new Set() }: CheckOptions): Finding[] {
  const index = indexOf(resources, declared)
  const all = [...resources.relays, ...resources.peers, ...resources.backends, ...resources.routes]
  return [
    ...all.flatMap((object) => checkPlace(object, place)),
    ...checkReferences(resources, index),
    ...checkCollisions(resources),
    ...checkListeners(resources, index, place),
  ]
}
