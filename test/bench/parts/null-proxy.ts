/**
 * One half of the null chain: a plain streaming reverse proxy. `near URL` listens on HTTP and forwards over TLS 1.3;
 * `far URL` listens on TLS 1.3 and forwards over HTTP. What any two hops cost on this machine, without a protocol.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { mintCertificate } from '../../fixtures/http/certificate.ts'
import { serveParent } from '../../fixtures/process/child.ts'

const [half, target] = process.argv.slice(2)
if ((half !== 'near' && half !== 'far') || target === undefined) {
  console.error('usage: null-proxy.ts near|far URL')
  process.exit(2)
}
const url = new URL(target)
const client = half === 'near' ? https : http
const agent =
  half === 'near'
    ? new https.Agent({ keepAlive: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' })
    : new http.Agent({ keepAlive: true })

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { host: _host, ...headers } = request.headers
  const upstream = client.request(
    { host: url.hostname, port: url.port, path: request.url, method: request.method, headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  upstream.on('error', () => response.destroy())
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  request.pipe(upstream)
}

const server =
  half === 'near'
    ? http.createServer(forward)
    : https.createServer({ ...(await mintCertificate('127.0.0.1')), minVersion: 'TLSv1.3' }, forward)
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ url: `${half === 'near' ? 'http' : 'https'}://127.0.0.1:${port}` })
})
