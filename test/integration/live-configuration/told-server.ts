import { type Arrival, type ScriptedServer, scriptedServer } from '../../fixtures/http/scripted-server.ts'

type Stream = ReturnType<Arrival['stream']>

/** An MCP server with sessions; it lists one tool, `echo`, as read only. Its tool `hold` answers with a stream that stays open until the test ends it. */
export class ToldServer {
  readonly name: string
  readonly #server: ScriptedServer
  readonly #held: { readonly id: unknown; readonly stream: Stream }[] = []
  readonly #sessions = new Set<string>()

  private constructor(name: string, open: (answer: (arrival: Arrival) => void) => ScriptedServer) {
    this.name = name
    this.#server = open((arrival) => this.#answer(arrival))
  }

  static async open(name: string): Promise<ToldServer> {
    let answer: (arrival: Arrival) => void = () => {}
    const server = await scriptedServer((arrival) => answer(arrival))
    return new ToldServer(name, (told) => {
      answer = told
      return server
    })
  }

  get url(): string {
    return this.#server.url.href
  }

  /** Streams that are open. */
  get held(): number {
    return this.#held.length
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** Says something on every stream. */
  tell(text: string): void {
    for (const { stream } of this.#held) {
      stream.event(said(text))
    }
  }

  /** Ends every stream with its answer. */
  endAll(): void {
    for (const { id, stream } of this.#held.splice(0)) {
      stream.event(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"ended":true}}`).end()
    }
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  #answer(arrival: Arrival): void {
    const session = arrival.headers['mcp-session-id']
    if (arrival.method === 'DELETE') {
      if (typeof session === 'string') this.#sessions.delete(session)
      arrival.json(200, '{}')
    } else if (arrival.method !== 'POST') arrival.json(405, '{}')
    else if (typeof session === 'string' && !this.#sessions.has(session)) arrival.json(404, '{}')
    else this.#message(arrival, JSON.parse(arrival.text) as Message)
  }

  #message(arrival: Arrival, { id, method, params }: Message): void {
    if (id === undefined) arrival.response.writeHead(202).end()
    else if (method === 'initialize') this.#initialize(arrival, id)
    else if (method === 'tools/list')
      arrival.json(200, JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [ECHO] } }))
    else if (params?.name === 'hold') this.#held.push({ id, stream: arrival.stream().event(said('begun')) })
    else {
      const told = { server: this.name, said: arrival.headers['x-said'] ?? null, path: arrival.path }
      arrival.json(200, JSON.stringify({ jsonrpc: '2.0', id, result: told }))
    }
  }

  #initialize(arrival: Arrival, id: unknown): void {
    const session = `${this.name}-${this.#sessions.size}-${Math.random()}`
    this.#sessions.add(session)
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: this.name, version: '1' } }
    arrival.json(200, JSON.stringify({ jsonrpc: '2.0', id, result }), { 'mcp-session-id': session })
  }
}

const ECHO = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }

function said(text: string): string {
  return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${text}"}}`
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly name?: string }
}
