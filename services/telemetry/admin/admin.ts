import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from '../metrics/metrics.ts'
import { hostAllowed } from './host-allowed.ts'

export interface AdminOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly metrics: Pick<Metrics, 'text'>
  /** Whether new work is welcome; `reasons` says in words why not. */
  readonly ready: () => Readiness
  /** Path, as in `/status` -> what is answered there as JSON. */
  readonly documents?: ReadonlyMap<string, () => object>
}

export interface Readiness {
  readonly ok: boolean
  readonly reasons: readonly string[]
}

export interface Admin {
  readonly address: { readonly host: string; readonly port: number }
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/**
 * The admin listener: `/healthz` (200 while the process turns), `/readyz` (200 or 503 with reasons), `/metrics`
 * (Prometheus text), and what `documents` has. GET and HEAD only. Rejects when the address cannot be listened on.
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const server = createServer(
    {
      maxHeaderSize: 8192,
      headersTimeout: 5_000,
      requestTimeout: 5_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      answer(request, options).then(
        (reply) => send(request, response, reply),
        () => send(request, response, text(500, 'failed to collect')),
      )
    },
  )
  server.maxConnections = 64
  server.maxRequestsPerSocket = 1_000
  await listen(server, options)
  // Accepting one connection failed, e.g. for want of file descriptors; the listener goes on.
  server.on('error', () => {})
  const { address, port } = server.address() as AddressInfo
  return { address: { host: address, port }, close: () => close(server) }
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

async function answer(request: IncomingMessage, options: AdminOptions): Promise<Reply> {
  if (!hostAllowed(request.headers, options.host)) return text(403, 'this Host or Origin is not served')
  const path = (request.url ?? '').split('?', 1)[0]
  const document = options.documents?.get(path ?? '')
  if (document === undefined && path !== '/healthz' && path !== '/readyz' && path !== '/metrics') {
    return text(404, 'not found')
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...text(405, 'method not allowed'), headers: { allow: 'GET, HEAD' } }
  }
  if (document !== undefined) return json(200, document())
  if (path === '/healthz') return json(200, { status: 'ok' })
  if (path === '/metrics') {
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await options.metrics.text() }
  }
  const { ok, reasons } = options.ready()
  return json(ok ? 200 : 503, { status: ok ? 'ok' : 'not ready', reasons })
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  // A body is never read: whoever sends one loses the connection.
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  response.writeHead(reply.status, {
    'content-type': reply.type,
    'content-length': Buffer.byteLength(reply.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...reply.headers,
    ...(hasBody ? { connection: 'close' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : reply.body)
}

function text(status: number, body: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` }
}

function json(status: number, body: object): Reply {
  return { status, type: 'application/json', body: `${JSON.stringify(body)}\n` }
}

function listen(server: Server, { host, port }: AdminOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
