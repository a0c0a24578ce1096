/** The part of a pod's spec that the Pod Security level `restricted` looks at. */
export interface PodSpec {
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly securityContext?: SecurityContext
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly Readonly<Record<string, unknown>>[]
  readonly serviceAccountName?: string
}

interface Container {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly securityContext?: SecurityContext & {
    readonly privileged?: boolean
    readonly readOnlyRootFilesystem?: boolean
    readonly allowPrivilegeEscalation?: boolean
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] }
  }
  readonly ports?: readonly { readonly hostPort?: number }[]
}

interface SecurityContext {
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly seccompProfile?: { readonly type: string }
}

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/** What of the Pod Security Standards, level restricted, the pod does not keep; and a root file system that it may write. */
export function breachesOfRestricted(spec: PodSpec): string[] {
  const breaches: string[] = []
  const demand = (kept: boolean, what: string) => {
    if (!kept) breaches.push(what)
  }
  demand(spec.hostNetwork !== true && spec.hostPID !== true && spec.hostIPC !== true, 'host namespaces')
  for (const volume of spec.volumes ?? []) {
    const types = Object.keys(volume).filter((key) => key !== 'name')
    demand(
      types.every((type) => VOLUMES.includes(type)),
      `volume ${String(volume.name)}`,
    )
  }
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const own = container.securityContext ?? {}
    const of = (what: string) => `${what} of ${container.name}`
    demand((own.runAsNonRoot ?? spec.securityContext?.runAsNonRoot) === true, of('runAsNonRoot'))
    demand((own.runAsUser ?? spec.securityContext?.runAsUser) !== 0, of('runAsUser'))
    const seccomp = own.seccompProfile ?? spec.securityContext?.seccompProfile
    demand(seccomp?.type === 'RuntimeDefault' || seccomp?.type === 'Localhost', of('seccompProfile'))
    demand(own.privileged !== true, of('privileged'))
    demand(own.allowPrivilegeEscalation === false, of('allowPrivilegeEscalation'))
    demand(own.capabilities?.drop?.includes('ALL') === true, of('capabilities.drop'))
    demand(
      (own.capabilities?.add ?? []).every((one) => one === 'NET_BIND_SERVICE'),
      of('capabilities.add'),
    )
    demand(own.readOnlyRootFilesystem === true, of('readOnlyRootFilesystem'))
    demand(
      (container.ports ?? []).every((port) => port.hostPort === undefined),
      of('hostPort'),
    )
  }
  return breaches
}
