import { workloadName } from '@causeway/mesh-api'
import type { Manifest } from './manifest.ts'
import { ownedMetadata, type RelayInput } from './relay-input.ts'

/** CONTROL section 5: relay pods have no API token and no Role. */
export function serviceAccount(input: RelayInput): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: ownedMetadata(input, workloadName(input.relay.metadata.name)),
    automountServiceAccountToken: false,
  }
}
