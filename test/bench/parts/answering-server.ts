/**
 * The server behind every chain: answers each MCP POST at once with a JSON-RPC result, small, or of as many octets as
 * the request's `params.arguments.octets` asks for; with `params.arguments.progress`, as an event stream that begins with a
 * notification of progress. It does nothing else, so that the chains are what is measured.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../../fixtures/process/child.ts'

const filler = new Map<number, string>()

const progress = { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }
const PROGRESS = `data: ${JSON.stringify({ jsonrpc: '2.0', ...progress })}\n\n`
/** So that the two never leave together. */
const AFTER_PROGRESS_MS = 5

function textOf(octets: number): string {
  const known = filler.get(octets)
  if (known !== undefined) return known
  const text = 'x'.repeat(octets)
  filler.set(octets, text)
  return text
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString()) as {
      id?: unknown
      params?: { arguments?: { octets?: number; progress?: boolean } }
    }
    const text = textOf(message.params?.arguments?.octets ?? 64)
    const result = { resultType: 'complete', content: [{ type: 'text', text }] }
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
    if (message.params?.arguments?.progress === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(PROGRESS)
      setTimeout(() => response.end(`data: ${body}\n\n`), AFTER_PROGRESS_MS)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  serveParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
})
