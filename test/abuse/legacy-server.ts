import { type Arrival, type ScriptedServer, scriptedServer } from '../fixtures/http/scripted-server.ts'

/** A request of a client's as it arrived, and who asked. */
export interface Asked {
  readonly arrival: Arrival
  /** As written. */
  readonly id: string
  /** The server's own name of the session; '' outside any. */
  readonly session: string
}

export type Tool = (asked: Asked) => void

/**
 * An MCP server with sessions whose protocol is as it should be, so that each test writes only what is odd. A tool is found
 * by the name in `tools/call`, in both eras; a request for no tool that is known gets an empty result.
 */
export class LegacyServer {
  readonly #tools = new Map<string, Tool>()
  /** What the client said that was no request: notifications and responses, by session. */
  readonly said = new Map<string, string[]>()
  readonly #hearers = new Set<() => void>()
  /** The streams that were asked for by GET, the newest of each session. */
  readonly #streams = new Map<string, Arrival>()
  #sessions = 0
  /** What GET gets: a stream that says nothing, or this. */
  onGet: ((arrival: Arrival, session: string) => void) | undefined
  /** What `initialize` gets: a session, or this. */
  onInitialize: Tool | undefined
  /** What notifications and responses get: 202 and no body, or this. */
  onSaid: ((arrival: Arrival) => void) | undefined
  #http: ScriptedServer | undefined

  static async open(): Promise<LegacyServer> {
    const server = new LegacyServer()
    server.#http = await scriptedServer((arrival) => server.#take(arrival))
    return server
  }

  get http(): ScriptedServer {
    if (this.#http === undefined) throw new Error('it is not open')
    return this.#http
  }

  get url(): string {
    return this.http.url.href
  }

  tool(name: string, tool: Tool): void {
    this.#tools.set(name, tool)
  }

  /** Resolves with what was said in a session, once that is enough. */
  async heard(session: string, isEnough: (said: readonly string[]) => boolean): Promise<readonly string[]> {
    return this.#eventually(() => {
      const said = this.said.get(session) ?? []
      return isEnough(said) ? said : undefined
    })
  }

  /** Resolves with the GET of a session, its answer begun as a stream. */
  async stream(session: string): Promise<Arrival> {
    return this.#eventually(() => this.#streams.get(session))
  }

  close(): Promise<void> {
    return this.http.close()
  }

  #take(arrival: Arrival): void {
    const session = String(arrival.headers['mcp-session-id'] ?? '')
    switch (arrival.method) {
      case 'GET':
        this.#get(arrival, session)
        break
      case 'DELETE':
        arrival.response.writeHead(204).end()
        break
      default:
        this.#post(arrival, session)
    }
  }

  #get(arrival: Arrival, session: string): void {
    if (this.onGet === undefined) arrival.stream()
    else this.onGet(arrival, session)
    this.#streams.set(session, arrival)
    this.#tell()
  }

  #post(arrival: Arrival, session: string): void {
    const id = idOf(arrival.text)
    const name = /"name": ?"([^"]*)"/.exec(arrival.text)?.[1] ?? ''
    const initializes = /"method": ?"initialize"/.test(arrival.text)
    if (initializes && this.onInitialize !== undefined && id !== undefined) {
      this.onInitialize({ arrival, id, session })
    } else if (initializes) {
      const version = /"protocolVersion": ?"([^"]*)"/.exec(arrival.text)?.[1]
      arrival.json(
        200,
        `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"${version}","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}`,
        { 'mcp-session-id': `odd-${++this.#sessions}` },
      )
    } else if (id === undefined || !arrival.text.includes('"method"')) {
      this.said.set(session, [...(this.said.get(session) ?? []), arrival.text])
      if (this.onSaid === undefined) arrival.response.writeHead(202).end()
      else this.onSaid(arrival)
      this.#tell()
    } else {
      const tool = this.#tools.get(name)
      if (tool === undefined) arrival.json(200, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
      else tool({ arrival, id, session })
    }
  }

  #tell(): void {
    for (const hearer of this.#hearers) hearer()
  }

  async #eventually<Value>(look: () => Value | undefined): Promise<Value> {
    for (;;) {
      const value = look()
      if (value !== undefined) return value
      await new Promise<void>((resolve) => {
        const hearer = (): void => {
          this.#hearers.delete(hearer)
          resolve()
        }
        this.#hearers.add(hearer)
      })
    }
  }
}

/** The raw token of `id` where it stands second, as the clients here write it; undefined in a notification. */
function idOf(text: string): string | undefined {
  return /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/.exec(text)?.[1]
}

export const resultOf = (id: string, result = '{}') => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
