import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../fixtures/process/child.ts'
import { Holds } from '../fixtures/servers/holds.ts'
import { Ledger } from '../fixtures/servers/ledger-file.ts'

/**
 * An MCP server of both eras whose one tool stands still at the stage that its arguments name: `staged-server.ts FILE [PORT]`.
 * A call `{key, stage, ids}` writes its key to the ledger first, and waits until that is on disk. `ids`: its events have ids,
 * so that its stream could be resumed. `asked`: it asks its client, and goes on when that has answered.
 */
export type Stage = 'none' | 'accepted' | 'progress' | 'answer' | 'asked'

interface Call {
  readonly key: string
  readonly stage: Stage
  readonly ids: boolean
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly arguments?: Call }
  readonly result?: unknown
}

const [, , file = '', port = '0'] = process.argv
const ledger = new Ledger(file)
const holds = new Holds()
const sessions = new Set<string>()
const asked = new Map<string, (answer: Message) => void>()
let opened = 0

const server = createServer((request, response) => void serve(request, response))
server.listen(Number(port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent(
    { url: `http://127.0.0.1:${port}/mcp`, port },
    {
      reached: (key) => holds.reached(String(key)),
      release: (key) => holds.release(String(key)),
      sessions: () => sessions.size,
    },
  )
})

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = String(request.headers['mcp-session-id'])
  const modern = request.headers['mcp-method'] !== undefined
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const message = (request.method === 'POST' ? JSON.parse(Buffer.concat(pieces).toString()) : {}) as Message
  if (!modern && message.method !== 'initialize' && !sessions.has(session)) {
    response.writeHead(404).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
  } else if (request.method === 'DELETE') {
    sessions.delete(session)
    response.writeHead(204).end()
  } else if (request.method === 'GET') {
    response.writeHead(request.headers['last-event-id'] === undefined ? 405 : 400).end()
  } else if (message.method === undefined) {
    response.writeHead(202).end()
    asked.get(`${session} ${message.id}`)?.(message)
  } else if (message.id === undefined) {
    response.writeHead(202).end()
  } else {
    answer(message, session, response)
  }
}

function answer({ id, method, params }: Message, session: string, response: ServerResponse): void {
  const call = params?.arguments
  if (method === 'initialize') {
    const name = `s-${process.pid}-${++opened}`
    sessions.add(name)
    response.setHeader('mcp-session-id', name)
    json(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } } })
  } else if (method === 'tools/call' && call !== undefined) {
    void run(id, call, session, response)
  } else {
    json(response, { jsonrpc: '2.0', id, result: {} })
  }
}

async function run(id: Message['id'], call: Call, session: string, response: ServerResponse): Promise<void> {
  const { key, stage, ids } = call
  const holdAt = async (at: Stage): Promise<void> => {
    if (stage === at) await holds.pass(key)
  }
  let events = 0
  const event = (message: object): void => {
    response.write(`${ids ? `id: ${key}/${++events}\nretry: 1\n` : ''}data: ${JSON.stringify(message)}\n\n`)
  }
  const progress = (n: number) =>
    event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: key, progress: n } })

  ledger.record(key)
  await holdAt('accepted')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  progress(1)
  await holdAt('progress')
  let heard: unknown
  if (stage === 'asked') {
    const answered = new Promise<Message>((resolve) => asked.set(`${session} 1`, resolve))
    event({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { key } })
    void holds.pass(key)
    heard = (await answered).result
  }
  progress(2)
  await holdAt('answer')
  event({ jsonrpc: '2.0', id, result: { ran: key, ...(heard !== undefined && { heard }) } })
  response.end()
}

function json(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
