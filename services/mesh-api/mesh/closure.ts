import { nameOf } from '../check/object-id.ts'
import type { Resources } from '../kinds/all-kinds.ts'
import type { MeshRelay } from '../kinds/mesh-relay.ts'
import type { CheckOptions } from './check-resources.ts'
import { indexOf } from './check-resources.ts'

/**
 * One relay and what it is sent (CONTROL section 1): the routes, peers, backends and discovery records that name it and
 * that it permits, the policies that are for any of these, the anchors that they use. Nothing else.
 */
export interface Closure extends Pick<Resources, 'peers' | 'backends' | 'routes' | 'records' | 'policies' | 'anchors'> {
  readonly relay: MeshRelay
}

/**
 * The closure of a relay, found by `name` or `namespace/name`. Undefined when there is no such relay, or when a bare name
 * stands in several namespaces. `resources` is a validated set.
 */
export function closureOf(
  resources: Resources,
  relayName: string,
  options: CheckOptions = { place: 'files' },
): Closure | undefined {
  const found = resources.relays.filter(({ metadata }) => metadata.name === relayName || nameOf(metadata) === relayName)
  const relay = found[0]
  if (relay === undefined || found.length > 1) return undefined
  return indexOf(resources, options).closureOf(nameOf(relay.metadata))
}
