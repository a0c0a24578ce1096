/** What a cluster is made of, and the Go module (a folder beside this file) that pins each part's version. */

export interface GoModule {
  readonly folder: string
  /** Build tags. */
  readonly tags?: string
  /** Linker flags beside the ones that strip symbols; they see the version that the module requires. */
  readonly ldflags?: (version: string) => string
  /** Of its own, beside this file; the others build programs as they are published. */
  readonly sources?: readonly string[]
  /** The requirement in `go.mod` that carries the version. */
  readonly requires: string
  /** Import path of each program, `.` for the module's own. */
  readonly programs: Readonly<Record<string, string>>
}

const KUBERNETES = 'k8s.io/kubernetes'
const CONTAINERD = 'github.com/containerd/containerd/v2'

export const GO_MODULES = [
  {
    folder: 'kubernetes',
    requires: KUBERNETES,
    // Without these flags every part would call itself v0.0.0.
    ldflags: (version) => {
      const [major, minor] = version.slice(1).split('.')
      const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
      return Object.entries(values)
        .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
        .join(' ')
    },
    programs: {
      'kube-apiserver': `${KUBERNETES}/cmd/kube-apiserver`,
      'kube-controller-manager': `${KUBERNETES}/cmd/kube-controller-manager`,
      'kube-proxy': `${KUBERNETES}/cmd/kube-proxy`,
      'kube-scheduler': `${KUBERNETES}/cmd/kube-scheduler`,
      kubectl: `${KUBERNETES}/cmd/kubectl`,
      kubelet: `${KUBERNETES}/cmd/kubelet`,
    },
  },
  { folder: 'etcd', requires: 'go.etcd.io/etcd/server/v3', programs: { etcd: 'go.etcd.io/etcd/server/v3' } },
  {
    folder: 'containerd',
    requires: CONTAINERD,
    tags: 'no_btrfs,no_devmapper,no_zfs',
    ldflags: (version) => `-X ${CONTAINERD}/version.Version=${version}`,
    programs: {
      containerd: `${CONTAINERD}/cmd/containerd`,
      'containerd-shim-runc-v2': `${CONTAINERD}/cmd/containerd-shim-runc-v2`,
      ctr: `${CONTAINERD}/cmd/ctr`,
    },
  },
  // Of its own, because the published one has the plugins, and so the SDKs, of several clouds: most of its build.
  { folder: 'coredns', sources: ['main.go'], requires: 'github.com/coredns/coredns', programs: { coredns: '.' } },
  {
    folder: 'helm',
    requires: 'helm.sh/helm/v4',
    ldflags: (version) => `-X helm.sh/helm/v4/internal/version.version=${version}`,
    programs: { helm: 'helm.sh/helm/v4/cmd/helm' },
  },
] as const satisfies readonly GoModule[]

type KeysOfEach<T> = T extends unknown ? keyof T : never

export type ProgramName = KeysOfEach<(typeof GO_MODULES)[number]['programs']>

/** Programs of a cluster without nodes, and what tests of charts run. */
export const API_PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm'] as const

/** Every program, cheap and often needed ones first. */
export const ALL_PROGRAMS: readonly ProgramName[] = [
  ...API_PROGRAMS,
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'coredns',
]
