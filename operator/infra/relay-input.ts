import type { OwnerReference } from '@causeway/kube'
import {
  API_VERSION,
  CONTROL_PLANE_PORTS,
  CONTROL_PLANE_SERVICE_NAME,
  type MeshRelay,
  workloadLabels,
} from '@causeway/mesh-api'
import type { ManifestMetadata } from './manifest.ts'

/** What every workload of one installation has in common. */
export interface Installation {
  /** The name by which objects are accepted (`status.controller`). */
  readonly name: string
  /** Where operator and control plane run. */
  readonly namespace: string
  readonly trustDomain: string
  /** The image of relays whose MeshRelay names none. */
  readonly relayImage: string
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
}

/** Everything that the workload of one relay follows from. */
export interface RelayInput {
  readonly relay: MeshRelay
  readonly uid: string
  readonly installation: Installation
}

/** `host:port` at which relays find the control plane. */
export function controlPlaneAddress({ namespace }: Installation): string {
  return `${CONTROL_PLANE_SERVICE_NAME}.${namespace}.svc:${CONTROL_PLANE_PORTS.config}`
}

/** A relay as its objects name it. */
export interface RelayOwner {
  readonly relay: { readonly metadata: { readonly name: string; readonly namespace: string } }
  readonly uid: string
}

/** Metadata of an object that goes with its relay. */
export function ownedMetadata({ relay, uid }: RelayOwner, name: string): ManifestMetadata {
  return {
    name,
    namespace: relay.metadata.namespace,
    labels: { ...workloadLabels(relay.metadata.name) },
    ownerReferences: [ownerReference(relay, uid)],
  }
}

export function ownerReference({ metadata: { name } }: RelayOwner['relay'], uid: string): OwnerReference {
  return { apiVersion: API_VERSION, kind: 'MeshRelay', name, uid, controller: true }
}
