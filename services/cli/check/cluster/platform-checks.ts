import { KIND_NAMES } from '@causeway/mesh-api'
import type { Check, Finding } from '../line.ts'
import type { ClusterSnapshot } from './snapshot.ts'

/** What the chart asks for as well. */
const OLDEST_MINOR = 30

/** The API server, and what it knows of our kinds. */
export const PLATFORM_CHECKS: readonly Check<ClusterSnapshot>[] = [
  {
    category: 'cluster',
    check: 'reachable',
    title: 'the API server answers',
    judge: ({ unreachable }) =>
      unreachable === undefined
        ? []
        : [
            {
              level: 'failed',
              message: unreachable,
              hint: 'is the cluster up, and is this the right kubeconfig and context?',
            },
          ],
  },
  {
    category: 'cluster',
    check: 'version',
    title: 'the API server is new enough',
    judge: ({ apiServer }) => apiServer && (isOld(apiServer) ? [tooOld(apiServer)] : []),
  },
  {
    category: 'cluster',
    check: 'permitted',
    title: 'all that is looked at may be read',
    judge: ({ unreachable, forbidden }) => (unreachable === undefined ? forbidden.map(mayNotRead) : undefined),
  },
  {
    category: 'definitions',
    check: 'served',
    title: 'every kind is served',
    judge: ({ definitions }) =>
      definitions &&
      KIND_NAMES.flatMap((kind) => {
        const state = definitions.get(kind)?.state
        if (state === 'served' || state === undefined) return []
        const message = `the definition of ${kind} is ${state === 'going' ? 'being deleted' : state}`
        return [{ level: 'failed' as const, message, hint: STATE_HINTS[state] }]
      }),
  },
  {
    category: 'definitions',
    check: 'current',
    title: 'every kind has the fields of this version',
    judge: ({ definitions }) =>
      definitions &&
      [...definitions].flatMap(([kind, definition]) => {
        if (definition.state !== 'served' || definition.missingFields.length === 0) return []
        const fields = definition.missingFields.map((field) => `spec.${field}`).join(', ')
        const hint = 'the definitions are older than this command: helm upgrade causeway-crds'
        return [{ level: 'warning' as const, message: `${kind} has no ${fields}`, hint }]
      }),
  },
]

const STATE_HINTS = {
  missing: 'helm install causeway-crds',
  going: 'resources that are held keep it: causeway uninstall --release frees them',
  'not established': 'kubectl describe crd says why',
} as const

function isOld({ major, minor }: { major: number; minor: number }): boolean {
  return major < 1 || (major === 1 && minor < OLDEST_MINOR)
}

function tooOld({ major, minor }: { major: number; minor: number }): Finding {
  return { level: 'failed', message: `Kubernetes ${major}.${minor} is older than 1.${OLDEST_MINOR}` }
}

function mayNotRead(what: string): Finding {
  const hint = 'what they would say is missing below; --namespace and --installation ask for less'
  return { level: 'warning', message: `${what} may not be read`, hint }
}
