import { podsServiceName, workloadName } from '@causeway/mesh-api'
import { selectorLabels } from './labels.ts'
import type { JsonObject, Manifest } from './manifest.ts'
import { adminPort, listenerPorts, type NamedPort } from './ports.ts'
import { ownedMetadata, type RelayInput } from './relay-input.ts'

/** What peers and clients dial. Undefined for a relay that only dials: a Service without ports cannot be. */
export function listenerService(input: RelayInput): Manifest | undefined {
  const { metadata, spec } = input.relay
  const ports = listenerPorts(input.relay)
  if (ports.length === 0) return undefined
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...ownedMetadata(input, workloadName(metadata.name)),
      annotations: { ...spec.workload.serviceAnnotations },
    },
    spec: {
      type: spec.workload.serviceType,
      selector: { ...selectorLabels(metadata.name) },
      ports: ports.map(servicePort),
    },
  }
}

/** The headless Service that a StatefulSet needs; it names pods that are not ready too, as those that look for faults do. */
export function podsService(input: RelayInput): Manifest {
  const { name } = input.relay.metadata
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: ownedMetadata(input, podsServiceName(name)),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { ...selectorLabels(name) },
      ports: [...listenerPorts(input.relay), adminPort(input.relay)].map(servicePort),
    },
  }
}

function servicePort({ name, port }: NamedPort): JsonObject {
  return { name, port, targetPort: name, protocol: 'TCP' }
}
