import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Access } from './kubeconfig.ts'

export interface ApiAnswer {
  readonly status: number
  /** Decoded JSON, or the text where it is none. */
  readonly body: unknown
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  /** Default: `application/json`. */
  readonly contentType?: string
  /** Without any octet from the server; default 30 s, 0 for ever. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: unknown
}

/** Speaks plain HTTP with an API server, one connection a request: nothing is kept that a dead server could spoil. */
export class ApiClient {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** Answers of any status; rejects when none comes. */
  async request(one: ApiRequest): Promise<ApiAnswer> {
    const response = await this.#open(one)
    const pieces: Buffer[] = []
    for await (const piece of response) pieces.push(piece as Buffer)
    return { status: response.statusCode ?? 0, body: decode(Buffer.concat(pieces)) }
  }

  /** The body of a 2xx answer; any other rejects with what the API server said. */
  async send(one: ApiRequest): Promise<unknown> {
    const { status, body } = await this.request(one)
    if (status >= 200 && status < 300) return body
    throw new ApiError(status, messageOf(body))
  }

  /**
   * The events of a watch until the API server ends it. Throws when the connection breaks, when the server refuses
   * (`ApiError`, 410 for a resource version that it no longer knows), and when `signal` aborts.
   */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const response = await this.#open({ path, signal, timeoutMs: 0 })
    if (response.statusCode !== 200) throw new ApiError(response.statusCode ?? 0, `watch refused: ${path}`)
    // Not readline: its iterator swallows the error of a connection that breaks.
    let unread = ''
    for await (const piece of response.setEncoding('utf8')) {
      const lines = (unread + piece).split('\n')
      unread = lines.pop() ?? ''
      for (const line of lines) {
        const event = JSON.parse(line) as WatchEvent | { readonly type: 'ERROR'; readonly object: { code: number } }
        if (event.type === 'ERROR') throw new ApiError(event.object.code, messageOf(event.object))
        yield event
      }
    }
  }

  #open(one: ApiRequest): Promise<IncomingMessage> {
    const { user, authority, serverUrl } = this.#access
    const method = one.method ?? 'GET'
    const options = {
      method,
      ca: authority,
      agent: false,
      timeout: one.timeoutMs ?? 30_000,
      headers: {
        'content-type': one.contentType ?? 'application/json',
        ...(user.kind === 'token' ? { authorization: `Bearer ${user.token}` } : {}),
      },
      ...(user.kind === 'certificate' ? { cert: user.certificate, key: user.key } : {}),
      ...(one.signal === undefined ? {} : { signal: one.signal }),
    }
    return new Promise((resolve, reject) => {
      const sent = request(new URL(one.path, serverUrl), options, resolve)
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${one.path}`)))
      sent.on('error', reject)
      sent.end(one.body === undefined ? undefined : JSON.stringify(one.body))
    })
  }
}

export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function decode(octets: Buffer): unknown {
  const text = octets.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The message of a `Status`. */
function messageOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message)
  return String(body)
}
