import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { allowedNamespaces } from '../fields/grant.ts'
import { addressBlock, allowedHost, allowedOrigin, httpUrl, listenHost, listenPort, publicUrl } from '../fields/host.ts'
import { annotationMap } from '../fields/labels.ts'
import { SET } from '../fields/list-types.ts'
import { filePath, objectName, replicaName } from '../fields/names.ts'
import { image, podFields } from '../fields/pod.ts'
import { quantity } from '../fields/quantity.ts'
import { secretRef } from '../fields/reference.ts'
import type { Resource } from './kind.ts'

const MIB = 1024 * 1024

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

const npampListener = z
  .strictObject({
    host: listenHost().default('0.0.0.0').describe('The address to listen on.'),
    port: listenPort().describe('The TCP port; 0 lets the system choose. N-PAMP has no default port.'),
    tls: z
      .strictObject({
        mode: z
          .enum(['pinned', 'ca'])
          .default('pinned')
          .describe(
            'pinned: a certificate made in memory, which nobody validates; the N-PAMP identities authenticate, and an active attacker on the outer TLS sees frame headers. ca: the certificate of secretRef, or of certFile.',
          ),
        certFile: filePath().optional().describe('In files, with mode ca: the certificate chain, PEM.'),
        keyFile: filePath().optional().describe('In files, with mode ca: the private key of the certificate, PEM.'),
        secretRef: secretRef().optional().describe('On a cluster, with mode ca: a Secret with tls.crt and tls.key.'),
      })
      .prefault({})
      .describe('The outer TLS.'),
  })
  .describe('Where peers dial this relay. Absent: it only dials.')

const httpTls = z
  .strictObject({
    certFile: filePath().optional().describe('In files: the certificate chain, PEM.'),
    keyFile: filePath().optional().describe('In files: the private key of the certificate, PEM.'),
    clientCAFile: filePath()
      .optional()
      .describe('In files: certificate authorities, PEM: a client without a certificate of one of them is refused.'),
    secretRef: secretRef().optional().describe('On a cluster: a Secret with tls.crt and tls.key.'),
    clientCertificates: z

      .enum(['none', 'required'])
      .optional()
      .describe(
        'With secretRef. required: a client without a certificate of the authorities in its ca.crt is refused. Default: none.',
      ),
  })
  .describe('https instead of http. A certificate is read again when it changes.')

const httpListener = (what: string) =>
  z
    .strictObject({
      host: listenHost()
        .default('127.0.0.1')
        .describe('The address to listen on; 0.0.0.0 on a cluster, where clients are other pods.'),
      port: listenPort().describe('The TCP port; 0 lets the system choose.'),
      tls: httpTls.optional(),
      publicURL: publicUrl()
        .optional()
        .describe(
          'What clients call this listener where that is not the address listened on, such as https://mcp.example.com ' +
            'behind a proxy. Its host and origin are served besides those of allowedHosts and allowedOrigins.',
        ),
      trustedProxies: z
        .array(addressBlock())
        .max(64)
        .meta(SET)
        .default([])
        .describe(
          'Blocks of addresses, such as 10.0.0.0/8, whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are believed.',
        ),
      allowedOrigins: z
        .array(allowedOrigin())
        .max(64)
        .meta(SET)
        .default([])
        .describe(
          'Values of Origin that are served besides those of the local host. A request without Origin is no browser and is served.',
        ),
      allowedHosts: z
        .array(allowedHost())
        .max(64)
        .meta(SET)
        .default([])
        .describe('Values of Host that are served besides those of the local host and of the address listened on.'),
    })
    .describe(what)

const listeners = () =>
  z
    .strictObject({
      npamp: npampListener.optional(),
      mcp: httpListener('Where MCP clients connect: Streamable HTTP at the paths of the routes.').optional(),
      a2a: httpListener('Where A2A clients connect: JSON-RPC over HTTP at the paths of the routes.').optional(),
      agentClient: httpListener('Where clients of the agent-client protocol connect.').optional(),
      admin: adminListener.optional(),
    })
    .prefault({})
    .describe('Where this relay listens.')

const adminListener = z
  .strictObject({
    host: listenHost().default('127.0.0.1').describe('The address to listen on.'),
    port: listenPort().describe('The TCP port; 0 lets the system choose.'),
  })
  .describe('Where /healthz, /readyz and /metrics answer.')

const limits = z
  .strictObject({
    maxBodyBytes: z
      .int()
      .min(1024)
      .max(16 * MIB - 65_536)
      .default(4 * MIB)
      .describe('The largest body of one northbound request, in octets; larger ones get 413.'),
    maxHeaderBytes: z
      .int()
      .min(1024)
      .max(MIB)
      .default(16_384)
      .describe('The most octets of HTTP headers in one northbound request or one answer of a backend.'),
    maxReplyBytes: z
      .int()
      .min(1024)
      .max(256 * MIB)
      .default(16 * MIB - 65_536)
      .describe('The largest single message of a backend, in octets. A peer may accept less (its maxFrameBytes).'),
    sessionsPerRoute: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('The most open legacy sessions of one route, and of one backend over all its callers.'),
    sessionsPerPrincipal: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(5_000)
      .describe(
        'The most open legacy sessions of one client, over all routes: by the subject of its certificate, and all clients ' +
          'without one together.',
      ),
    streamsPerSession: z
      .int()
      .min(1)
      .max(1_024)
      .default(16)
      .describe('The most streams that the client of one legacy session has open by GET; one more gets 503.'),
    eventStoreEvents: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1_000)
      .describe('The most events of one legacy session that are kept for a client that resumes; the oldest go first.'),
    eventStoreBytes: z
      .int()
      .min(1_024)
      .max(1_024 * MIB)
      .default(MIB)
      .describe('The same in octets.'),
    eventStoreTotalBytes: z
      .int()
      .min(1_024)
      .max(65_536 * MIB)
      .default(64 * MIB)
      .describe('The most octets of events that are kept over all sessions.'),
    idleSession: duration().default('1h').describe('A legacy session without a request for this long ends.'),
    drain: duration().default('10s').describe('How long a stopping relay waits for open exchanges.'),
    halfOpenHandshakes: z
      .int()
      .min(1)
      .max(65_536)
      .default(256)
      .describe('The most connections at once whose handshake is not finished.'),
    halfOpenPerSource: z.int().min(1).max(65_536).default(16).describe('The same for one source address.'),
  })
  .prefault({})
  .describe('Bounds of this relay.')

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
