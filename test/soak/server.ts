/**
 * The server of the soak: both eras at one endpoint, light enough for hundreds of calls a second. In a legacy session the
 * tool `ask` first asks the client for its roots on the call's own stream, and `steps` tells its progress.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../fixtures/process/child.ts'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name?: string; readonly _meta?: { readonly progressToken?: number } }
  readonly result?: unknown
}

interface Session {
  stream: ServerResponse | undefined
  asked: number
  readonly waiting: Map<number, () => void>
}

const sessions = new Map<string, Session>()

const server = createServer((request, response) => {
  const session = sessions.get(String(request.headers['mcp-session-id']))
  if (request.method === 'GET') openStream(session, response)
  else if (request.method === 'DELETE') endSession(String(request.headers['mcp-session-id']), response)
  else void post(request, response, session)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ url: `http://127.0.0.1:${port}/mcp` }, { sessions: () => sessions.size })
})

function openStream(session: Session | undefined, response: ServerResponse): void {
  if (session === undefined) {
    response.writeHead(404).end()
    return
  }
  session.stream = response
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event({ method: 'notifications/message', params: { level: 'info', data: 'open' } }))
}

function endSession(id: string, response: ServerResponse): void {
  sessions.get(id)?.stream?.end()
  sessions.delete(id)
  response.writeHead(200).end()
}

async function post(request: IncomingMessage, response: ServerResponse, session: Session | undefined): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const message = JSON.parse(Buffer.concat(chunks).toString()) as Message
  if (message.method === undefined) session?.waiting.get(Number(message.id))?.()
  if (message.method === undefined || message.id === undefined) {
    response.writeHead(202).end()
    return
  }
  if (message.method === 'initialize') initialize(message, response)
  else if (session === undefined && request.headers['mcp-session-id'] !== undefined) response.writeHead(404).end()
  else call(message, response, session)
}

function initialize(message: Message, response: ServerResponse): void {
  const id = randomUUID()
  sessions.set(id, { stream: undefined, asked: 0, waiting: new Map() })
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'soak', version: '1' } }
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': id })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
}

function call({ id, params }: Message, response: ServerResponse, session: Session | undefined): void {
  const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(200) }] } }
  switch (params?.name) {
    case 'steps': {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const progressToken = params._meta?.progressToken ?? id
      for (let progress = 1; progress <= 3; progress++)
        response.write(event({ method: 'notifications/progress', params: { progressToken, progress } }))
      response.end(event(answer))
      return
    }
    case 'ask': {
      if (session === undefined) break
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const asked = ++session.asked
      session.waiting.set(asked, () => {
        session.waiting.delete(asked)
        response.end(event(answer))
      })
      response.write(event({ id: asked, method: 'roots/list' }))
      return
    }
    case 'never':
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer))
}

function event(message: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
}
