import { isIPv6 } from 'node:net'
import { durationMs, type MeshRelay } from '@causeway/mesh-api'
import type { FileIr, KeyPairIr } from '../ir/file.ts'
import type { McpListenerIr, NpampListenerIr, RelayIdentityIr, RelayIr, RelayLimitsIr } from '../ir/relay.ts'
import type { RelayIdentityStatus, SourceObject } from '../sources/source.ts'
import { Withheld } from './withheld.ts'

/** Throws Withheld. */
export function resolveRelay(
  { metadata, spec }: MeshRelay,
  { uid, status }: Pick<SourceObject, 'uid' | 'status'>,
): RelayIr {
  const { npamp, mcp, admin } = spec.listeners
  const { maxStaleness, whenStale } = spec.config
  return {
    kind: 'relay',
    identity: identityOf(spec.identity.keyFile, status.identity, `${metadata.namespace}/${metadata.name}`, uid),
    replica: spec.replica,
    npamp: npamp && npampListener(npamp),
    mcp: mcp && mcpListener(mcp),
    admin,
    limits: limitsOf(spec.limits),
    staleness: {
      maxStalenessMs: maxStaleness === undefined ? undefined : durationMs(maxStaleness),
      denyUnlessReadOnly: whenStale === 'denyUnlessReadOnly',
    },
  }
}

function identityOf(
  keyFile: string | undefined,
  status: RelayIdentityStatus | undefined,
  relay: string,
  uid: string,
): RelayIdentityIr {
  if (keyFile !== undefined) return { key: { path: keyFile }, successor: undefined }
  // In files a relay that meets no peer needs none; on a cluster the operator makes one for every relay.
  if (uid === '') return { key: undefined, successor: undefined }
  if (status?.secretName === undefined) {
    throw new Withheld(
      'IdentityPending',
      'status.identity',
      `MeshRelay ${relay} has no identity yet; the operator makes it`,
    )
  }
  return { key: identityFile(status.secretName), successor: successorOf(status) }
}

/** CONTROL section 5: both keys are mounted from Announced on; which one signs is a value of the configuration. */
function successorOf({ next, nextSecretName, successor }: RelayIdentityStatus): RelayIdentityIr['successor'] {
  if (next === undefined || nextSecretName === undefined || successor === undefined) return undefined
  return {
    key: identityFile(nextSecretName),
    peerHandle: next,
    statement: Uint8Array.from(Buffer.from(successor, 'base64')),
  }
}

/** The slot is the last word of the Secret's name (`identitySecretName`). */
function identityFile(secretName: string): FileIr {
  return { mounted: `identity/${secretName.slice(secretName.lastIndexOf('-') + 1)}.pem` }
}

type Listeners = MeshRelay['spec']['listeners']

function npampListener({ host, port, tls }: NonNullable<Listeners['npamp']>): NpampListenerIr {
  return { host, port, certificate: tls.mode === 'pinned' ? undefined : certificateOf(tls, 'npamp') }
}

function mcpListener(listener: NonNullable<Listeners['mcp']>): McpListenerIr {
  const { host, port, tls, publicURL, trustedProxies, allowedOrigins, allowedHosts } = listener
  return {
    host,
    port,
    certificate: tls && certificateOf(tls, 'mcp'),
    clientCa: tls && clientCaOf(tls),
    publicUrl: publicURL,
    trustedProxies: trustedProxies.map(withPrefix),
    allowedOrigins,
    allowedHosts,
  }
}

interface CertificateFiles {
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  readonly secretRef?: { readonly name: string } | undefined
}

function certificateOf(
  { certFile, keyFile, secretRef }: CertificateFiles,
  listener: 'npamp' | 'mcp',
): KeyPairIr | undefined {
  if (secretRef !== undefined) {
    return {
      certificate: { mounted: `listeners/${listener}/tls.crt` },
      key: { mounted: `listeners/${listener}/tls.key` },
    }
  }
  if (certFile === undefined || keyFile === undefined) return undefined
  return { certificate: { path: certFile }, key: { path: keyFile } }
}

function clientCaOf(tls: NonNullable<NonNullable<Listeners['mcp']>['tls']>): FileIr | undefined {
  if (tls.clientCAFile !== undefined) return { path: tls.clientCAFile }
  return tls.clientCertificates === 'required' ? { mounted: 'listeners/mcp/ca.crt' } : undefined
}

/** An address alone is a block of one. */
function withPrefix(block: string): string {
  if (block.includes('/')) return block
  return `${block}/${isIPv6(block) ? 128 : 32}`
}

function limitsOf(limits: MeshRelay['spec']['limits']): RelayLimitsIr {
  return {
    maxBodyOctets: limits.maxBodyBytes,
    maxHeaderOctets: limits.maxHeaderBytes,
    maxReplyOctets: limits.maxReplyBytes,
    sessionsPerRoute: limits.sessionsPerRoute,
    sessionsPerPrincipal: limits.sessionsPerPrincipal,
    streamsPerSession: limits.streamsPerSession,
    eventStoreEvents: limits.eventStoreEvents,
    eventStoreOctets: limits.eventStoreBytes,
    eventStoreTotalOctets: limits.eventStoreTotalBytes,
    idleSessionMs: durationMs(limits.idleSession),
    drainMs: durationMs(limits.drain),
    halfOpenHandshakes: limits.halfOpenHandshakes,
    halfOpenPerSource: limits.halfOpenPerSource,
  }
}
