import { z } from 'zod'
import { addressBlock, allowedHost, allowedOrigin, listenHost, listenPort, publicUrl } from '../fields/host.ts'
import { SET } from '../fields/list-types.ts'
import { filePath } from '../fields/names.ts'
import { secretRef } from '../fields/reference.ts'

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

/** `spec.listeners` of a MeshRelay. */
export const listeners = () =>
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
