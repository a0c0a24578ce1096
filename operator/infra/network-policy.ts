import { workloadName } from '@causeway/mesh-api'
import { selectorLabels } from './labels.ts'
import type { Manifest } from './manifest.ts'
import { adminPort, listenerPorts } from './ports.ts'
import { ownedMetadata, type RelayInput } from './relay-input.ts'

/**
 * Nothing reaches a relay but its listeners and its metrics. Where it may go to follows from its peers and backends, which
 * have addresses and no selectors: egress is left to the cluster's administrator.
 */
export function networkPolicy(input: RelayInput): Manifest {
  const { name } = input.relay.metadata
  const ports = [...listenerPorts(input.relay), adminPort(input.relay)]
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: ownedMetadata(input, workloadName(name)),
    spec: {
      podSelector: { matchLabels: { ...selectorLabels(name) } },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map(({ port }) => ({ port, protocol: 'TCP' })) }],
    },
  }
}
