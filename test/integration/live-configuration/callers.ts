import type { HttpClient, OpenAnswer } from '../../fixtures/edge/http-client.ts'
import { modernCall, modernRequest } from '../clients.ts'

const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'

/** A legacy session on one route. */
export class SessionCaller {
  readonly #http: HttpClient
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  #id = 0

  private constructor(http: HttpClient, path: string, sessionId: string) {
    this.#http = http
    this.#path = path
    this.#headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' }
  }

  static async open(http: HttpClient, path: string): Promise<SessionCaller> {
    const { status, headers, body } = await http.post(INITIALIZE, {}, path)
    const id = headers['mcp-session-id']
    if (status !== 200 || typeof id !== 'string') throw new Error(`no session: ${status} ${body}`)
    return new SessionCaller(http, path, id)
  }

  async call(name = 'echo'): Promise<{ readonly status: number; readonly body: string }> {
    return await this.#http.post(this.#text(name), this.#headers, this.#path)
  }

  /** A call whose answer is a stream. */
  hold(): Promise<OpenAnswer> {
    return this.#http.open(this.#text('hold'), this.#headers, this.#path)
  }

  #text(name: string): string {
    const id = ++this.#id
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } })
  }
}

/** A modern call whose answer is a stream. */
export function holdModern(http: HttpClient, path: string): Promise<OpenAnswer> {
  const { body, headers } = modernCall('hold', {})
  return http.open(body, headers, path)
}

/** What answers under a path: the status, and which server, or why none. */
export async function answerAt(http: HttpClient, path: string): Promise<string> {
  const { body, headers } = modernCall('echo', {}, 1)
  const answer = await http.post(body, headers, path)
  const { result, error } = JSON.parse(answer.body === '' ? '{}' : answer.body) as Answered
  return JSON.stringify({ status: answer.status, result, error: error?.message })
}

/** Asks for the tools under a path, outside any session. */
export async function listAt(http: HttpClient, path: string): Promise<void> {
  const { body, headers } = modernRequest('tools/list', {})
  const answer = await http.post(body, headers, path)
  if (answer.status !== 200) throw new Error(`no list: ${answer.status} ${answer.body}`)
}

interface Answered {
  readonly result?: unknown
  readonly error?: { readonly message: string }
}
