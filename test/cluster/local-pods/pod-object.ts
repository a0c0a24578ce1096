/** A Pod as the API server has it: the parts that somebody who runs it looks at. */
export interface PodObject {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: {
    readonly serviceAccountName?: string
    readonly automountServiceAccountToken?: boolean
    readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
    readonly terminationGracePeriodSeconds?: number
    readonly containers: readonly Container[]
    readonly volumes?: readonly Volume[]
  }
}

export interface Container {
  readonly name: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly Variable[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly readinessProbe?: {
    readonly httpGet?: { readonly path?: string; readonly port: number | string }
  }
}

export interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string }
    readonly configMapKeyRef?: { readonly name: string; readonly key: string }
  }
}

export interface Volume {
  readonly name: string
  readonly secret?: { readonly secretName: string } & Projection
  readonly configMap?: { readonly name: string } & Projection
  readonly projected?: { readonly sources: readonly ProjectedSource[] }
  readonly emptyDir?: object
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

interface Projection {
  readonly optional?: boolean
  readonly items?: readonly { readonly key: string; readonly path: string }[]
}

export interface ProjectedSource {
  readonly secret?: { readonly name: string } & Projection
  readonly configMap?: { readonly name: string } & Projection
  readonly serviceAccountToken?: object
  readonly downwardAPI?: object
}

/** The port of a container by its number or its name. */
export function containerPort({ ports = [] }: Container, port: number | string): number {
  const found = typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort
  if (found === undefined) throw new Error(`no port ${port} in the container`)
  return found
}

/** The one container that pods of this product have. */
export function onlyContainer({ metadata, spec }: PodObject): Container {
  const [container, other] = spec.containers
  if (container === undefined || other !== undefined) throw new Error(`pod ${metadata.name} has not just one container`)
  return container
}
