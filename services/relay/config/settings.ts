import { createSecureContext } from 'node:tls'
import {
  IdentityFileError,
  MAX_IDENTITY_FILE_OCTETS,
  parseIdentity,
  readIdentityFile,
} from '@causeway/npamp/crypto/node'
import type { ListenTlsMode } from '@causeway/npamp/transports'
import type { File, Identity, KeyPair, Limits, McpListener, NpampListener, Relay } from '@causeway/rpc'
import type { FileField, FileReader } from './file-reader.ts'
import { number } from './numbers.ts'
import { certificatesOf, keyPairOf, MAX_PEM_OCTETS, type PemKeyPair } from './pem.ts'
import { ConfigProblem, invalid } from './problem.ts'
import type {
  IdentitySettings,
  McpListenerSettings,
  NpampListenerConfig,
  OwnKey,
  RelayLimits,
  RelaySettings,
} from './relay-config.ts'

/** Reads its identity and the certificates of its listeners. Throws ConfigProblem. */
export async function readSettings(relay: Relay, reader: FileReader): Promise<RelaySettings> {
  // One after the other: where several files are wrong, it is always the same that is told.
  const identity = await identityOf(relay.identity, reader)
  const npamp = relay.npamp && (await npampListener(relay.npamp, reader))
  const mcp = relay.mcp && (await mcpListener(relay.mcp, reader))
  return {
    identity,
    replica: relay.replica === '' ? undefined : relay.replica,
    npamp,
    mcp,
    admin: relay.admin && { host: relay.admin.host, port: relay.admin.port },
    limits: limitsOf(relay.limits),
  }
}

async function identityOf(identity: Identity | undefined, reader: FileReader): Promise<IdentitySettings> {
  const { key, successor } = identity ?? {}
  const current = key && (await readKey(key, KEY, reader))
  if (successor === undefined) return { current, successor: undefined }
  const next = await readKey(successor.key, NEXT_KEY, reader)
  if (next.peerHandle !== successor.peerHandle) {
    throw new ConfigProblem('CredentialPending', NEXT_KEY.mounted, 'the next key is not yet the one that was announced')
  }
  return { current, successor: { peerHandle: successor.peerHandle, statement: successor.statement } }
}

const KEY: FileField = { path: 'spec.identity.keyFile', mounted: 'status.identity.secretName' }
const NEXT_KEY: FileField = { path: 'status.identity.next', mounted: 'status.identity.nextSecretName' }

async function readKey(file: File | undefined, field: FileField, reader: FileReader): Promise<OwnKey> {
  const { path, octets, fieldPath } = await reader.read(file, field, MAX_IDENTITY_FILE_OCTETS)
  try {
    // Who may read a mounted one is for the cluster to say.
    return file?.location.case === 'mounted'
      ? { ...parseIdentity(path, octets), warnings: [] }
      : await readIdentityFile(path)
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    throw new ConfigProblem('FileUnusable', fieldPath, error.message)
  } finally {
    octets.fill(0)
  }
}

async function npampListener(
  { host, port, certificate }: NpampListener,
  reader: FileReader,
): Promise<NpampListenerConfig> {
  const tls: ListenTlsMode =
    certificate === undefined
      ? { mode: 'pinned' }
      : { mode: 'ca', ...(await keyPair(certificate, 'spec.listeners.npamp.tls', reader)) }
  return { host, port, tls }
}

async function mcpListener(listener: McpListener, reader: FileReader): Promise<McpListenerSettings> {
  const { host, port, trustedProxies, allowedOrigins, allowedHosts } = listener
  return {
    host,
    port,
    tls: await mcpTls(listener, reader),
    publicUrl: publicUrlOf(listener.publicUrl),
    trustedProxies,
    allowedOrigins,
    allowedHosts,
  }
}

function publicUrlOf(text: string): URL | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  if (url === null) throw invalid('spec.listeners.mcp.publicURL', 'this is no URL')
  return url
}

async function mcpTls({ certificate, clientCa }: McpListener, reader: FileReader): Promise<McpListenerSettings['tls']> {
  if (certificate === undefined) {
    if (clientCa !== undefined) throw invalid(MCP_TLS, 'client certificates need a certificate of the listener')
    return undefined
  }
  const pair = await keyPair(certificate, MCP_TLS, reader)
  const ca = clientCa && certificatesOf(await reader.read(clientCa, CLIENT_CA, MAX_PEM_OCTETS))
  const tls = { ...pair, ...(ca === undefined ? {} : { clientCa: ca }) }
  requireUsable(tls)
  return tls
}

const MCP_TLS = 'spec.listeners.mcp.tls'
const CLIENT_CA: FileField = { path: `${MCP_TLS}.clientCAFile`, mounted: `${MCP_TLS}.secretRef` }

/** What TLS does not take, such as a key that is too short for it, is found before anything listens. */
function requireUsable({ cert, key, clientCa }: NonNullable<McpListenerSettings['tls']>): void {
  try {
    const ca = clientCa === undefined ? {} : { ca: Buffer.from(clientCa) }
    createSecureContext({ cert: Buffer.from(cert), key: Buffer.from(key), ...ca })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigProblem('FileUnusable', MCP_TLS, `certificate, key or client authorities cannot be used: ${reason}`)
  }
}

async function keyPair({ certificate, key }: KeyPair, tls: string, reader: FileReader): Promise<PemKeyPair> {
  const mounted = `${tls}.secretRef`
  const cert = await reader.read(certificate, { path: `${tls}.certFile`, mounted }, MAX_PEM_OCTETS)
  certificatesOf(cert)
  return keyPairOf(cert, await reader.read(key, { path: `${tls}.keyFile`, mounted }, MAX_PEM_OCTETS))
}

function limitsOf(limits: Limits | undefined): RelayLimits {
  if (limits === undefined) throw invalid('spec.limits', 'there are no limits')
  return {
    maxBodyOctets: number(limits.maxBodyOctets),
    maxHeaderOctets: number(limits.maxHeaderOctets),
    maxReplyOctets: number(limits.maxReplyOctets),
    sessionsPerRoute: number(limits.sessionsPerRoute),
    sessionsPerPrincipal: number(limits.sessionsPerPrincipal),
    streamsPerSession: number(limits.streamsPerSession),
    eventStoreEvents: number(limits.eventStoreEvents),
    eventStoreOctets: number(limits.eventStoreOctets),
    eventStoreTotalOctets: number(limits.eventStoreTotalOctets),
    idleSessionMs: number(limits.idleSessionMs),
    drainMs: number(limits.drainMs),
    halfOpenHandshakes: number(limits.halfOpenHandshakes),
    halfOpenPerSource: number(limits.halfOpenPerSource),
  }
}
