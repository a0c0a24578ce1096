import { podsServiceName, workloadName } from '@causeway/mesh-api'
import { selectorLabels } from './labels.ts'
import type { Manifest } from './manifest.ts'
import { podTemplate } from './pod-template.ts'
import { ownedMetadata, type RelayInput } from './relay-input.ts'
import { volumeClaims } from './volumes.ts'

export function statefulSet(input: RelayInput): Manifest {
  const { metadata, spec } = input.relay
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: ownedMetadata(input, workloadName(metadata.name)),
    spec: {
      // CONTROL section 5: left out where an autoscaler owns it.
      ...(spec.autoscaling.enabled ? {} : { replicas: spec.replicas ?? 1 }),
      serviceName: podsServiceName(metadata.name),
      // Instances do not wait for each other.
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: { ...selectorLabels(metadata.name) } },
      template: podTemplate(input),
      volumeClaimTemplates: volumeClaims(input.relay),
    },
  }
}
