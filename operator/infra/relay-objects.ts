import { disruptionBudget } from './disruption-budget.ts'
import type { Manifest } from './manifest.ts'
import { networkPolicy } from './network-policy.ts'
import type { RelayInput } from './relay-input.ts'
import { serviceAccount } from './service-account.ts'
import { listenerService, podsService } from './services.ts'
import { settings } from './settings.ts'
import { statefulSet } from './stateful-set.ts'

/** All that runs one relay, in the order in which it is made: what pods need stands before them. */
export function relayObjects(input: RelayInput): Manifest[] {
  const service = listenerService(input)
  return [
    serviceAccount(input),
    settings(input),
    networkPolicy(input),
    podsService(input),
    ...(service === undefined ? [] : [service]),
    disruptionBudget(input),
    statefulSet(input),
  ]
}
