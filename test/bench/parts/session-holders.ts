/**
 * A legacy MCP server that keeps every GET stream open, and the clients that hold sessions with it: command `open` opens
 * sessions at a URL, each with its GET stream, until there are `count` of them, and answers when all their streams have
 * arrived at the server.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Agent, request, setGlobalDispatcher } from 'undici'
import { serveParent } from '../../fixtures/process/child.ts'

setGlobalDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }))

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'holder', version: '1' } },
})
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
/** What the relay is about to give back, and to the system. */
const SETTLE_MS = 3_000

let streamsAtServer = 0
let sessions = 0

const server = createServer((incoming, response) => {
  if (incoming.method === 'GET') hold(response)
  else answer(incoming, response)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ url: `http://127.0.0.1:${port}/mcp` }, { open: (argument) => open(argument as Ask) })
})

interface Ask {
  readonly url: string
  readonly count: number
}

async function open({ url, count }: Ask): Promise<void> {
  while (sessions < count) await openOne(url)
  while (streamsAtServer < count) await setTimeout(20)
  await setTimeout(SETTLE_MS)
}

async function openOne(url: string): Promise<void> {
  const opened = await request(url, { method: 'POST', headers: HEADERS, body: INITIALIZE })
  await opened.body.dump()
  const inSession = {
    ...HEADERS,
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
  const told = await request(url, { method: 'POST', headers: inSession, body: INITIALIZED })
  await told.body.dump()
  const stream = await request(url, { method: 'GET', headers: { ...inSession, accept: 'text/event-stream' } })
  if (stream.statusCode !== 200) throw new Error(`no stream: HTTP ${stream.statusCode}`)
  stream.body.on('error', () => {})
  stream.body.resume()
  sessions += 1
}

function hold(response: ServerResponse): void {
  streamsAtServer += 1
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

function answer(incoming: IncomingMessage, response: ServerResponse): void {
  incoming.resume()
  if (incoming.headers['mcp-session-id'] !== undefined) {
    response.writeHead(202).end()
    return
  }
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'held', version: '1' } }
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': randomUUID() })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
}
