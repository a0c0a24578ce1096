import { isDeepStrictEqual } from 'node:util'
import type { TlsListener } from '@causeway/npamp/transports'
import { type Admin, type AdminOptions, startAdmin } from '@causeway/telemetry'
import type { AddressConfig, McpListenerSettings, RelayLimits } from '../config/relay-config.ts'
import type { McpEdge, McpListener } from '../edges/mcp/contract.ts'
import type { ListenerConfig, Mesh } from '../mesh/mesh.ts'
import type { ListenerKind } from './listener-slot.ts'

/** The certificate is renewed in place; connections that are there stay, whatever changes. */
export function npampListeners(mesh: Mesh): ListenerKind<ListenerConfig, TlsListener> {
  return {
    name: 'npamp',
    open: (config) => mesh.listen(config),
    change: async (listener, before, after) => {
      if (before.host !== after.host) return 'reopen'
      const { halfOpenHandshakes: maxHalfOpen, halfOpenPerSource: maxHalfOpenPerSource } = after
      const renews = !isDeepStrictEqual(before.tls, after.tls)
      if (renews) await listener.renewTls(after.tls)
      return {
        commit: () => listener.setLimits({ maxHalfOpen, maxHalfOpenPerSource }),
        rollback: async () => {
          if (renews) await listener.renewTls(before.tls)
        },
      }
    },
    close: (listener) => listener.close(),
  }
}

export interface McpListenerOpening extends McpListenerSettings, Pick<RelayLimits, 'maxHeaderOctets' | 'drainMs'> {}

/** `drainMs`: how long what is open on a listener that is left may take. */
export function mcpListeners(edge: McpEdge, drainMs: () => number): ListenerKind<McpListenerOpening, McpListener> {
  return {
    name: 'mcp',
    open: (config) => edge.listen(config),
    change: async (listener, before, after) => {
      if (needsAnother(before, after)) return 'reopen'
      const { tls } = after
      return {
        commit: () => {
          if (tls !== undefined && !isDeepStrictEqual(before.tls, tls)) listener.renewTls(tls)
          listener.setDoor(after)
        },
        rollback: async () => {},
      }
    },
    close: (listener) => listener.leave(drainMs()),
  }
}

/** What a server has from its start. */
function needsAnother(before: McpListenerOpening, after: McpListenerOpening): boolean {
  const ofServer = ({ host, tls, maxHeaderOctets }: McpListenerOpening): unknown => ({
    host,
    maxHeaderOctets,
    isTls: tls !== undefined,
    asksClients: tls?.clientCa !== undefined,
  })
  return !isDeepStrictEqual(ofServer(before), ofServer(after))
}

export function adminListeners(options: Omit<AdminOptions, 'host' | 'port'>): ListenerKind<AddressConfig, Admin> {
  return {
    name: 'admin',
    open: ({ host, port }) => startAdmin({ host, port, ...options }),
    change: async (_admin, before, after) =>
      before.host === after.host ? { commit: () => {}, rollback: async () => {} } : 'reopen',
    close: (admin) => admin.close(),
  }
}
