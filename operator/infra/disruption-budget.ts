import { workloadName } from '@causeway/mesh-api'
import { selectorLabels } from './labels.ts'
import type { Manifest } from './manifest.ts'
import { ownedMetadata, type RelayInput } from './relay-input.ts'

/**
 * One instance at a time leaves a node that is emptied. A budget that one replica could not meet would keep the node from
 * ever being emptied, so it is not `minAvailable`.
 */
export function disruptionBudget(input: RelayInput): Manifest {
  const { name } = input.relay.metadata
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: ownedMetadata(input, workloadName(name)),
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: { ...selectorLabels(name) } },
      // One that cannot become ready is no reason to keep a node.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  }
}
