import type { AnyResource } from '../kinds/all-kinds.ts'
import { notImplemented } from '../kinds/not-implemented.ts'
import { checkCollisions } from './collisions.ts'
import type { Finding } from './finding.ts'
import { checkListeners } from './listeners.ts'
import { checkPlace } from './places.ts'
import { checkPrograms } from './programs.ts'
import { checkReferences } from './references.ts'
import type { Surroundings } from './surroundings.ts'

/** All that is wrong with an object, valid by itself, because of where it stands and what stands beside it. */
export function judge(object: AnyResource, surroundings: Surroundings): readonly Finding[] {
  return [
    ...checkPlace(object, surroundings.place),
    // On a cluster it is the relays that refuse, each by its own version.
    ...(surroundings.place === 'files' ? checkImplemented(object) : []),
    ...checkReferences(object, surroundings),
    ...checkCollisions(object, surroundings),
    ...checkListeners(object, surroundings),
    ...checkPrograms(object, surroundings),
  ]
}

function checkImplemented(object: AnyResource): Finding[] {
  return notImplemented(object).map((fieldPath) => ({
    id: 'NotImplemented',
    object,
    fieldPath: fieldPath.split('.'),
    message: `${fieldPath} is not implemented yet`,
  }))
}
