import type { MeshRelay } from '@causeway/mesh-api'

/** A port that a container listens on, by the name under which Services and policies know it. */
export interface NamedPort {
  readonly name: 'npamp' | 'mcp' | 'admin'
  readonly port: number
}

/** The ports at which others reach the relay, in a fixed order. */
export function listenerPorts({ spec: { listeners } }: MeshRelay): NamedPort[] {
  const ports: NamedPort[] = []
  if (listeners.npamp !== undefined) ports.push({ name: 'npamp', port: listeners.npamp.port })
  if (listeners.mcp !== undefined) ports.push({ name: 'mcp', port: listeners.mcp.port })
  return ports
}

/** Where probes and metrics are; never behind the Service of the listeners. */
export function adminPort({ spec: { listeners } }: MeshRelay): NamedPort {
  return { name: 'admin', port: listeners.admin?.port ?? DEFAULT_ADMIN_PORT }
}

const DEFAULT_ADMIN_PORT = 9090
