import { z } from 'zod'
import { duration } from '../fields/duration.ts'
import { addressBlock, allowedHost, allowedOrigin, listenHost, listenPort, publicUrl } from '../fields/host.ts'
import { SET } from '../fields/list-types.ts'
import { filePath, replicaName } from '../fields/names.ts'
import type { Resource } from './kind.ts'

const MIB = 1024 * 1024

const identity = z
  .strictObject({
    algorithm: z.enum(['Ed25519']).default('Ed25519').describe('The signature algorithm of the key.'),
    keyFile: filePath()
      .optional()
      .describe(
        'The private key, a PKCS#8 PEM file as `causeway keys generate` writes it. Required with an npamp listener or a ' +
          'MeshPeer; a relay that meets no peer has a key made in memory at every start.',
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
            'pinned: a certificate made in memory, which nobody validates; the N-PAMP identities authenticate, and an active attacker on the outer TLS sees frame headers. ca: the certificate of certFile.',
          ),
        certFile: filePath().optional().describe('With mode ca: the certificate chain, PEM.'),
        keyFile: filePath().optional().describe('With mode ca: the private key of the certificate, PEM.'),
      })
      .prefault({})
      .describe('The outer TLS.'),
  })
  .describe('Where peers dial this relay. Absent: it only dials.')

const mcpTls = z
  .strictObject({
    certFile: filePath().describe('The certificate chain, PEM.'),
    keyFile: filePath().describe('The private key of the certificate, PEM.'),
    clientCAFile: filePath()
      .optional()
      .describe('Certificate authorities, PEM: a client without a certificate of one of them is refused.'),
  })
  .describe('https instead of http. The files are read again when they change.')

const mcpListener = z
  .strictObject({
    host: listenHost().default('127.0.0.1').describe('The address to listen on.'),
    port: listenPort().describe('The TCP port; 0 lets the system choose.'),
    tls: mcpTls.optional(),
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
  .describe('Where MCP clients connect: Streamable HTTP at the paths of the routes.')

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

export const meshRelaySpec = z
  .strictObject({
    identity,
    replica: replicaName()
      .optional()
      .describe('Unique among processes that share this identity. Default: made up at every start.'),
    listeners: z
      .strictObject({ npamp: npampListener.optional(), mcp: mcpListener.optional(), admin: adminListener.optional() })
      .prefault({})
      .describe('Where this relay listens.'),
    limits,
  })
  .describe('One relay.')

export type MeshRelaySpec = z.output<typeof meshRelaySpec>
export type MeshRelay = Resource<'MeshRelay', MeshRelaySpec>
