import type { Reference } from './fields/reference.ts'
import type { Resources } from './kinds/all-kinds.ts'
import type { MeshRelay } from './kinds/mesh-relay.ts'
import type { Metadata } from './kinds/metadata.ts'

/** One relay and everything that names it (CONTROL section 1): what the relay is sent, and nothing else. */
export interface Closure extends Omit<Resources, 'relays'> {
  readonly relay: MeshRelay
}

/**
 * The closure of a relay, found by `name` or `namespace/name`. Undefined when there is no such relay, or when a bare name
 * stands in several namespaces. `resources` is a validated set.
 */
export function closureOf(resources: Resources, relayName: string): Closure | undefined {
  const found = resources.relays.filter(
    ({ metadata }) => metadata.name === relayName || `${metadata.namespace}/${metadata.name}` === relayName,
  )
  const relay = found[0]
  if (relay === undefined || found.length > 1) return undefined
  const namesIt = (object: { metadata: Metadata; spec: { relayRefs: readonly Reference[] } }): boolean =>
    object.metadata.namespace === relay.metadata.namespace &&
    object.spec.relayRefs.some(({ name }) => name === relay.metadata.name)
  return {
    relay,
    peers: resources.peers.filter(namesIt),
    backends: resources.backends.filter(namesIt),
    routes: resources.routes.filter(namesIt),
  }
}
