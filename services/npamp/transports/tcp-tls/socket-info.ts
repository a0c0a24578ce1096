import type { TLSSocket } from 'node:tls'
import type { TransportInfo } from '../contract.ts'

/** What can be said about a TLS socket. Only a dialler's runtime reveals the key-exchange group. */
export function socketInfo(socket: TLSSocket): TransportInfo {
  const group = groupOf(socket)
  return {
    kind: 'tcp-tls',
    ...(socket.localAddress !== undefined ? { local: endpoint(socket.localAddress, socket.localPort) } : {}),
    ...(socket.remoteAddress !== undefined ? { remote: endpoint(socket.remoteAddress, socket.remotePort) } : {}),
    ...(group !== undefined ? { group } : {}),
    tlsVersion: socket.getProtocol() ?? 'unknown',
    ...(typeof socket.alpnProtocol === 'string' ? { alpn: socket.alpnProtocol } : {}),
  }
}

/** `host:port`, an IPv6 address in brackets. */
export function endpoint(address: string, port: number | undefined): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port ?? 0}`
}

function groupOf(socket: TLSSocket): string | undefined {
  const info: unknown = socket.getEphemeralKeyInfo()
  if (typeof info !== 'object' || info === null || !('name' in info)) return undefined
  return typeof info.name === 'string' ? info.name : undefined
}
