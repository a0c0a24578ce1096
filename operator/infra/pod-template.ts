import { durationMs, type MeshRelay, workloadLabels, workloadName } from '@causeway/mesh-api'
import { selectorLabels } from './labels.ts'
import type { Json, JsonObject } from './manifest.ts'
import { adminPort, listenerPorts } from './ports.ts'
import type { RelayInput } from './relay-input.ts'
import { bootSettings, settingsDigest } from './settings.ts'
import { volumeMounts, volumes } from './volumes.ts'

/** `nobody` of the image. */
const USER = 65_532
/** Beyond `limits.drain`: what ending a process takes. */
const AFTER_DRAIN_S = 10

/**
 * The pods of a relay, under the restricted Pod Security level. What `spec.workload` says is merged here, before anything
 * is sent, and ours wins: it cannot touch selector, identity mounts, security context or the container's command.
 */
export function podTemplate(input: RelayInput): JsonObject {
  const { relay } = input
  const { workload } = relay.spec
  return {
    metadata: {
      labels: { ...workload.labels, ...workloadLabels(relay.metadata.name) },
      annotations: { ...workload.annotations, 'mesh.causeway.dev/settings': settingsDigest(input) },
    },
    spec: {
      serviceAccountName: workloadName(relay.metadata.name),
      automountServiceAccountToken: false,
      // Variables of every Service of the namespace are of no use to it, and may clash with its own.
      enableServiceLinks: false,
      terminationGracePeriodSeconds: Math.ceil(durationMs(relay.spec.limits.drain) / 1000) + AFTER_DRAIN_S,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...placement(relay),
      containers: [container(input)],
      volumes: volumes(relay),
    },
  }
}

/** The program of the image; flags come from the ConfigMap. */
const RELAY_COMMAND: readonly string[] = ['node', '/app/services/relay/main.js']

function container({ relay, installation }: RelayInput): JsonObject {
  const ports = [...listenerPorts(relay), adminPort(relay)]
  return {
    name: 'relay',
    image: relay.spec.workload.image ?? installation.relayImage,
    imagePullPolicy: installation.imagePullPolicy,
    command: RELAY_COMMAND,
    env: variables({ relay, installation }),
    ports: ports.map(({ name, port }) => ({ name, containerPort: port, protocol: 'TCP' })),
    // A relay that cannot be configured yet is alive; killing it would not help.
    startupProbe: probe('/healthz', { periodSeconds: 1, failureThreshold: 60 }),
    livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 6 }),
    readinessProbe: probe('/readyz', { periodSeconds: 2, failureThreshold: 2 }),
    resources: resources(relay),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: volumeMounts(relay),
  }
}

/**
 * Each by its name, and not all that the ConfigMap holds: whoever may only write ConfigMaps could have more said to the
 * process than flags (`NODE_OPTIONS`), and would have its key.
 */
function variables(input: Pick<RelayInput, 'relay' | 'installation'>): Json {
  const name = workloadName(input.relay.metadata.name)
  return Object.keys(bootSettings(input)).map((key) => ({
    name: key,
    valueFrom: { configMapKeyRef: { name, key } },
  }))
}

function probe(path: string, timing: JsonObject): JsonObject {
  return { httpGet: { path, port: 'admin' }, timeoutSeconds: 5, ...timing }
}

function resources({ spec: { workload } }: MeshRelay): JsonObject {
  const { requests, limits } = workload.resources
  return { requests: present(requests), limits: present(limits) }
}

function placement({ metadata, spec: { workload } }: MeshRelay): JsonObject {
  return present({
    nodeSelector: workload.nodeSelector,
    tolerations: workload.tolerations.map(present),
    topologySpreadConstraints: workload.topologySpreadConstraints.map((one) => ({
      ...present(one),
      labelSelector: { matchLabels: { ...selectorLabels(metadata.name) } },
    })),
    priorityClassName: workload.priorityClassName,
    imagePullSecrets: workload.imagePullSecrets.map(present),
  })
}

/** Without members that are absent or empty: what nobody asked for is not owned. */
function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept = Object.entries(object).filter(
    (entry): entry is [string, Json] =>
      entry[1] !== undefined &&
      !(typeof entry[1] === 'object' && entry[1] !== null && Object.keys(entry[1]).length === 0),
  )
  return Object.fromEntries(kept)
}
