import { isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { MeshRelay } from '@causeway/mesh-api'
import { RelayStartError } from '../contract.ts'
import { readCertificates, readKeyPair } from './certificates.ts'
import type { McpListenerConfig, McpTlsConfig, McpTlsFiles, McpTlsMaterial } from './relay-config.ts'

type Listener = NonNullable<MeshRelay['spec']['listeners']['mcp']>

/** Reads its certificate files. Throws RelayStartError. */
export async function mcpListener(listener: Listener): Promise<McpListenerConfig> {
  const { host, port, publicURL, trustedProxies, allowedOrigins, allowedHosts } = listener
  return {
    host,
    port,
    tls: await tlsOf(listener.tls),
    publicUrl: publicURL === undefined ? undefined : new URL(publicURL),
    trustedProxies: trustedProxies.map(withPrefix),
    allowedOrigins,
    allowedHosts,
  }
}

/** Throws RelayStartError when a file cannot be read, or they are no certificate and its key. */
export async function readMcpTls({ certFile, keyFile, clientCaFile }: McpTlsFiles): Promise<McpTlsMaterial> {
  const pair = await readKeyPair({ certFile, keyFile }, MCP_TLS)
  const clientCa =
    clientCaFile === undefined ? undefined : await readCertificates(clientCaFile, `${MCP_TLS}.clientCAFile`)
  const material = { ...pair, ...(clientCa === undefined ? {} : { clientCa }) }
  checkUsable(material)
  return material
}

/** What TLS does not take, such as a key that is too short for it, is found before anything listens. */
function checkUsable({ cert, key, clientCa }: McpTlsMaterial): void {
  try {
    const ca = clientCa === undefined ? {} : { ca: Buffer.from(clientCa) }
    createSecureContext({ cert: Buffer.from(cert), key: Buffer.from(key), ...ca })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RelayStartError(
      'CERTIFICATE_FILE',
      MCP_TLS,
      `certFile, keyFile or clientCAFile cannot be used: ${reason}`,
    )
  }
}

const MCP_TLS = 'spec.listeners.mcp.tls'

async function tlsOf(tls: Listener['tls']): Promise<McpTlsConfig | undefined> {
  if (tls === undefined) return undefined
  const { certFile, keyFile, clientCAFile: clientCaFile } = tls
  if (certFile === undefined || keyFile === undefined)
    throw new RelayStartError('CONFIGURATION', MCP_TLS, 'certFile and keyFile are required')
  const files = { certFile, keyFile, clientCaFile }
  return { files, material: await readMcpTls(files) }
}

/** An address alone is a block of one. */
function withPrefix(block: string): string {
  if (block.includes('/')) return block
  return `${block}/${isIPv6(block) ? 128 : 32}`
}
