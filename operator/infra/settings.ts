import { createHash } from 'node:crypto'
import { workloadName } from '@causeway/mesh-api'
import type { Manifest } from './manifest.ts'
import { adminPort } from './ports.ts'
import { controlPlaneAddress, ownedMetadata, type RelayInput } from './relay-input.ts'

/** Where the volumes of a relay's pod are mounted. */
export const MOUNTS = '/etc/causeway'
export const STATE = '/var/lib/causeway'

/** What a relay must know before it can ask for its configuration: flags, as environment variables. */
export function bootSettings({
  relay,
  installation,
}: Pick<RelayInput, 'relay' | 'installation'>): Readonly<Record<string, string>> {
  return {
    CAUSEWAY_NAMESPACE: relay.metadata.namespace,
    CAUSEWAY_NAME: relay.metadata.name,
    CAUSEWAY_CONTROL_PLANE: controlPlaneAddress(installation),
    CAUSEWAY_MOUNTS: MOUNTS,
    CAUSEWAY_STATE: STATE,
    CAUSEWAY_ADMIN: `0.0.0.0:${adminPort(relay).port}`,
  }
}

export function settings(input: RelayInput): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ownedMetadata(input, workloadName(input.relay.metadata.name)),
    data: { ...bootSettings(input) },
  }
}

/** Environment variables are read once: the pods are replaced when this changes. */
export function settingsDigest(input: RelayInput): string {
  return createHash('sha256')
    .update(JSON.stringify(bootSettings(input)))
    .digest('hex')
    .slice(0, 16)
}
