import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { allowedNamespaces } from '../fields/grant.ts'
import { httpUrl } from '../fields/host.ts'
import { annotationMap } from '../fields/labels.ts'
import { SET } from '../fields/list-types.ts'
import { filePath, objectName, replicaName } from '../fields/names.ts'
import { image, podFields } from '../fields/pod.ts'
import { quantity } from '../fields/quantity.ts'
import type { Resource } from './kind.ts'
import { limits } from './mesh-relay-limits.ts'
import { listeners } from './mesh-relay-listeners.ts'

const rotation = z
  .strictObject({
    every: duration()
      .optional()
      .describe('How old a key becomes before the next one is announced. Absent: no rotation by itself.'),
    overlap: duration()
      .default('168h')
      .describe('How long the next key is announced before it signs, at least; so long peers have to pin it.'),
  })
  .prefault({})
  .describe('On a cluster: how the key is changed.')

const identity = z
  .strictObject({
    algorithm: z.enum(['Ed25519']).default('Ed25519').describe('The signature algorithm of the key.'),
    keyFile: filePath()
      .optional()
      .describe(
        'In files: the private key, a PKCS#8 PEM file as `causeway keys generate` writes it. Required with an npamp listener ' +
          'or a MeshPeer; a relay that meets no peer has a key made in memory at every start. On a cluster the operator makes ' +
          'and keeps the key.',
      ),
    rotation,
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .default('Retain')
      .describe(
        'On a cluster: what becomes of the key when the relay is deleted. Retain: a relay of the same name has it again.',
      ),
  })
  .prefault({})
  .describe('Who this relay is to its peers: its PeerHandle follows from the key.')

const config = z
  .strictObject({
    maxStaleness: duration()
      .optional()
      .describe('How long the relay may be without a control plane before whenStale is in force. Absent: for ever.'),
    whenStale: z
      .enum(['serve', 'denyUnlessReadOnly'])
      .default('serve')
      .describe(
        'What a relay does after maxStaleness. serve: all that its last good configuration says. denyUnlessReadOnly: ' +
          'only calls that are known to change nothing.',
      ),
  })
  .prefault({})
  .describe('How long the last good configuration is good for.')

const audit = z
  .strictObject({
    storage: z
      .enum(['persistent', 'ephemeral'])
      .default('persistent')
      .describe(
        'Where the instances keep the audit log and the last good configuration. persistent: a volume claim for each. ' +
          'ephemeral: lost with the pod.',
      ),
    storageSize: quantity('1Gi').default('1Gi').describe('With persistent: the size of the volume claim.'),
    storageClassName: objectName()
      .optional()
      .describe("With persistent: the StorageClass of the volume claim. Default: the cluster's."),
    failureMode: z
      .enum(['closed', 'open'])
      .default('closed')
      .describe(
        'What becomes of requests that are not read_only while they cannot be recorded. closed: refused. open: let ' +
          'through, and the gap is recorded.',
      ),
    durability: z
      .enum(['local', 'remote'])
      .default('local')
      .describe(
        'What a request that is not read_only waits for. local: its record is on the disk of the instance. remote: it is ' +
          'in the audit store.',
      ),
  })
  .prefault({})
  .describe('How exchanges are recorded.')

const telemetry = z
  .strictObject({
    otlp: z
      .strictObject({
        endpoint: httpUrl().describe('Where traces and metrics are sent, such as http://collector:4318.'),
        traceRatio: z
          .int()
          .min(0)
          .max(100)
          .default(100)
          .describe('How many of a hundred traces that begin here are recorded.'),
      })
      .optional()
      .describe('Sends traces and metrics to an OpenTelemetry collector.'),
  })
  .prefault({})
  .describe('What the relay tells of itself besides /metrics and its log.')

const workload = z
  .strictObject({
    ...podFields(),
    image: image().optional().describe("The image. Default: the operator's choice, of its own version."),
    serviceType: z
      .enum(['ClusterIP', 'LoadBalancer', 'NodePort'])
      .default('ClusterIP')
      .describe('The type of the Service in front of the listeners.'),
    serviceAnnotations: annotationMap()
      .default({})
      .describe('Annotations of that Service, such as those of load balancers.'),
  })
  .prefault({})
  .describe('On a cluster: the pods of this relay, where they differ from what the operator makes by itself.')

export const meshRelaySpec = z
  .strictObject({
    replicas: z.int().min(0).max(1_000).optional().describe('On a cluster: how many instances run. Default: 1.'),
    autoscaling: z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe('true: replicas is ignored, and left to an autoscaler of the StatefulSet.'),
      })
      .prefault({})
      .describe('On a cluster: who decides how many instances run.'),
    identity,
    replica: replicaName()
      .optional()
      .describe('In files: unique among processes that share this identity. Default: made up at every start.'),
    profiles: z
      .array(z.enum(['Standard', 'High', 'Sovereign']))
      .min(1)
      .max(3)
      .meta(SET)
      .default(['Standard'])
      .describe('The profiles that the npamp listener accepts.'),
    listeners: listeners(),
    limits,
    config,
    audit,
    telemetry,
    workload,
    allowedNamespaces: allowedNamespaces(),
  })
  .describe('One relay.')

export type MeshRelaySpec = z.output<typeof meshRelaySpec>
export type MeshRelay = Resource<'MeshRelay', MeshRelaySpec>
