import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * A web page must not read this listener through a name that it points at this machine. So on a local listener `Host` is
 * `localhost`, an address (a name is what the trick needs) or the configured host; what listens to the network is open to
 * whoever reaches it, by any name. A request that says it comes from a page is refused everywhere.
 */
export function hostAllowed(headers: IncomingHttpHeaders, listenHost: string): boolean {
  if (headers.origin !== undefined) return false
  if (!isLoopback(listenHost)) return true
  const name = hostName(headers.host)
  return name === undefined || name === 'localhost' || name === listenHost.toLowerCase() || isIP(name) !== 0
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined) return undefined
  const withoutPort = host.replace(/:[0-9]*$/, '').toLowerCase()
  return withoutPort.startsWith('[') && withoutPort.endsWith(']') ? withoutPort.slice(1, -1) : withoutPort
}
