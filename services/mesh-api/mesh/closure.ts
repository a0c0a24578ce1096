import { nameOf } from '../check/object-id.ts'
import type { Resources } from '../kinds/all-kinds.ts'
import { type CheckOptions, indexOf } from './check-resources.ts'
import type { Closure } from './contract.ts'

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
