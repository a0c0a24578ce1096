import { type Answer, type HeaderChanges, HttpClient, type OpenAnswer } from '../fixtures/edge/http-client.ts'

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

/** An answer, and the JSON text that it holds: its body, or the data of the last event of its stream. */
export interface Replied extends Answer {
  readonly text: string
}

/** A client of one session that writes every octet itself and makes nothing again. */
export class LegacyClient {
  readonly http: HttpClient
  readonly path: string
  readonly version: string
  #session = ''

  /** After `initialize` and `notifications/initialized`. */
  static async connect(url: string, version = '2025-11-25'): Promise<LegacyClient> {
    const client = new LegacyClient(new URL(url), version)
    await client.initialize()
    return client
  }

  private constructor(url: URL, version: string) {
    this.http = new HttpClient(Number(url.port))
    this.path = url.pathname
    this.version = version
  }

  get session(): string {
    return this.#session
  }

  get headers(): HeaderChanges {
    return { 'mcp-session-id': this.#session, 'mcp-protocol-version': this.version }
  }

  async initialize(): Promise<void> {
    const params = `{"protocolVersion":"${this.version}","capabilities":{"sampling":{},"roots":{},"elicitation":{}},"clientInfo":{"name":"abuse","version":"1"}}`
    const body = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`
    const { status, headers, body: text } = await this.http.post(body, {}, this.path)
    if (status !== 200 || headers['mcp-session-id'] === undefined) throw new Error(`initialize: ${status} ${text}`)
    this.#session = String(headers['mcp-session-id'])
    await this.post(INITIALIZED)
  }

  async post(body: string | Uint8Array, changes: HeaderChanges = {}): Promise<Replied> {
    return replied(await this.http.post(body, { ...this.headers, ...changes }, this.path))
  }

  open(body: string | Uint8Array): Promise<OpenAnswer> {
    return this.http.open(body, this.headers, this.path)
  }

  call(id: string, name: string, args = '{}'): Promise<Replied> {
    return this.post(toolCall(id, name, args))
  }

  /** Resolves when its head has come. */
  openCall(id: string, name: string, args = '{}'): Promise<OpenAnswer> {
    return this.open(toolCall(id, name, args))
  }

  listen(lastEventId?: string): Promise<OpenAnswer> {
    return this.http.events({ ...this.headers, 'last-event-id': lastEventId }, this.path)
  }

  async end(): Promise<number> {
    return (await (await this.http.request('DELETE', this.path, this.headers).head()).whole()).status
  }

  close(): void {
    this.http.close()
  }
}

export function toolCall(id: string, name: string, args = '{}'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
}

export function replied(answer: Answer): Replied {
  return { ...answer, text: answerText(answer) }
}

/** The JSON text that answers a call, from a JSON body or as the last event of a stream. */
export function answerText({ headers, body }: Answer): string {
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return body
  return textsOf(body).at(-1) ?? ''
}

/** The data of all events that have any. */
export function textsOf(body: string): string[] {
  return body
    .split('\n\n')
    .map((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((lines) => lines.map((line) => line.slice('data: '.length)).join('\n'))
    .filter((text) => text !== '')
}

/** What the edge itself says of an error; undefined where the text is no error of its. */
export function causewayOf(text: string): { readonly code?: string; readonly delivery?: string } | undefined {
  return (JSON.parse(text) as { error?: { data?: { causeway?: object } } }).error?.data?.causeway
}
