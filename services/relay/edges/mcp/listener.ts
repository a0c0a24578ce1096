import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { Admission } from './admission.ts'
import { answerClientError } from './client-error.ts'
import type { EdgeTls, McpDoor, McpListener, McpListenerOptions } from './contract.ts'
import type { EdgeContext } from './edge-context.ts'
import { leave } from './leave.ts'
import { TrustedProxies } from './proxies.ts'
import { type Doorkeeping, RequestHandler } from './request-handler.ts'

/** Longer than clients keep idle connections, so that the client is the one who closes them. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
const HEADERS_TIMEOUT_MS = 60_000
const CHECKING_INTERVAL_MS = 30_000

/** One more listener of an edge; `servers` are all that the edge has to end. Rejects as `McpEdge.listen` does. */
export async function openListener(
  edge: EdgeContext,
  servers: Set<Server>,
  options: McpListenerOptions,
): Promise<McpListener> {
  const { tls, host, port } = options
  const door = (changed: McpDoor): Doorkeeping => ({
    admission: new Admission({ boundHost: host, allowedHosts: [], allowedOrigins: [], ...changed }),
    proxies: new TrustedProxies(changed.trustedProxies ?? []),
    needsCertificate: tls?.clientCa !== undefined,
  })
  const server = createHttpServer(edge, options)
  const handler = new RequestHandler(edge, door(options))
  server.on('request', (request, response) => handler.handle(request, response, 'none'))
  server.on('checkContinue', (request, response) => handler.handle(request, response, 'continue'))
  server.on('checkExpectation', (request, response) => handler.handle(request, response, 'other'))
  server.on('clientError', (error, socket) => answerClientError(edge, error, socket))
  const sockets = connectionsOf(server)
  const address = await listen(server, host, port)
  // Accepting one connection failed, e.g. for want of file descriptors; the listener goes on.
  server.on('error', (error: NodeJS.ErrnoException) =>
    edge.logger.warn({ code: error.code }, 'a connection could not be accepted'),
  )
  servers.add(server)
  return {
    address,
    renewTls: (renewed) => {
      if (server instanceof TlsServer) server.setSecureContext(secureContext(renewed))
    },
    setDoor: (changed) => handler.setDoor(door(changed)),
    leave: async (limitMs) => {
      handler.leave()
      server.once('close', () => servers.delete(server))
      await leave(server, edge, sockets, limitMs)
    },
  }
}

/** As requests know them: behind TLS, where there is any. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

function createHttpServer({ limits }: EdgeContext, { tls, maxHeaderOctets }: McpListenerOptions): Server {
  const options: ServerOptions = {
    maxHeaderSize: maxHeaderOctets ?? limits.maxHeaderOctets,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Of requests alone: a stream lives as long as both ends like.
    requestTimeout: limits.requestArrivalMs,
    headersTimeout: Math.min(limits.requestArrivalMs, HEADERS_TIMEOUT_MS),
    connectionsCheckingInterval: Math.min(limits.requestArrivalMs, CHECKING_INTERVAL_MS),
    // Judged with all that it may be: Node's own answers say nothing.
    requireHostHeader: false,
  }
  if (tls === undefined) return createServer(options)
  const asked = tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false }
  return createTlsServer({ ...options, ...secureContext(tls), ...asked })
}

function secureContext({ cert, key, clientCa }: EdgeTls): SecureContextOptions {
  const ca = clientCa === undefined ? {} : { ca: toPem(clientCa) }
  return { cert: toPem(cert), key: toPem(key), minVersion: 'TLSv1.2', ...ca }
}

function toPem(pem: string | Uint8Array): string | Buffer {
  return typeof pem === 'string' ? pem : Buffer.from(pem)
}

function listen(server: Server, host: string, port: number): Promise<McpListener['address']> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // A TCP server has an address object while it listens.
      const { address, port: real } = server.address() as AddressInfo
      resolve({ host: address, port: real })
    })
  })
}
