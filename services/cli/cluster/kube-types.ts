import type { KubeObject, ResourceType } from '@causeway/kube'

/** The parts of foreign kinds that the commands look at. */

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly spec: { readonly containers: readonly DeployedContainer[] } }
  }
  readonly status?: { readonly availableReplicas?: number }
}

interface DeployedContainer {
  readonly image: string
  readonly args?: readonly string[]
}

export interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string }
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

export interface Service extends KubeObject {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] }
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[] }
  }
}

export interface Definition extends KubeObject {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string
      readonly schema?: { readonly openAPIV3Schema?: { readonly properties?: Record<string, Properties> } }
    }[]
  }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

interface Properties {
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface KubeEvent extends KubeObject {
  readonly type?: string
  readonly reason?: string
  readonly note?: string
  readonly eventTime?: string
  readonly series?: { readonly lastObservedTime?: string }
  readonly deprecatedLastTimestamp?: string
}

export const DEPLOYMENT: ResourceType<Deployment> = namespaced('apps', 'v1', 'deployments', 'Deployment')
export const LEASE: ResourceType<Lease> = namespaced('coordination.k8s.io', 'v1', 'leases', 'Lease')
export const CONFIG_MAP: ResourceType<ConfigMap> = namespaced('', 'v1', 'configmaps', 'ConfigMap')
export const EVENT: ResourceType<KubeEvent> = namespaced('events.k8s.io', 'v1', 'events', 'Event')
export const SERVICE: ResourceType<Service> = namespaced('', 'v1', 'services', 'Service')
export const POD: ResourceType = namespaced('', 'v1', 'pods', 'Pod')
export const DEFINITION: ResourceType<Definition> = {
  ...namespaced('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition'),
  namespaced: false,
}

function namespaced(group: string, version: string, plural: string, kind: string) {
  return { group, version, plural, kind, namespaced: true }
}
