import { Pool } from 'undici'
import type { HttpBackendOptions } from './contract.ts'

/** CARRIAGE section 4: idle connections are ours for at most 4 s, and end 1 s before the server's own hint. */
const IDLE_MS = 4_000
const HINT_MARGIN_MS = 1_000
export const DEFAULT_MAX_HEADER_OCTETS = 16 * 1024

/**
 * Connections to one backend. HTTP/1.1 with one request at a time on each connection: undici requeues requests behind the
 * first of a pipeline, and may reopen HTTP/2 streams; a request that may have been sent must never be sent again.
 */
export function openPool(options: Pick<HttpBackendOptions, 'url' | 'limits' | 'ca'>): Pool {
  const { url, limits, ca } = options
  return new Pool(url.origin, {
    pipelining: 1,
    allowH2: false,
    connect: { timeout: limits.connectTimeoutMs ?? 0, ...(ca === undefined ? {} : { ca }) },
    // An answer takes as long as it takes: only the relay that holds the client has a deadline.
    headersTimeout: limits.firstHeaderTimeoutMs ?? 0,
    bodyTimeout: 0,
    maxHeaderSize: limits.maxHeaderOctets ?? DEFAULT_MAX_HEADER_OCTETS,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    keepAliveTimeoutThreshold: HINT_MARGIN_MS,
  })
}
