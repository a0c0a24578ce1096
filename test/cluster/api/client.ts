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
  readonly timeoutMs?: number
}

/** Speaks plain HTTP with an API server, one connection a request: nothing is kept that a dead server could spoil. */
export class ApiClient {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** Answers of any status; rejects when none comes. */
  request(one: ApiRequest): Promise<ApiAnswer> {
    const { user, authority, serverUrl } = this.#access
    const options = {
      method: one.method ?? 'GET',
      ca: authority,
      agent: false,
      timeout: one.timeoutMs ?? 30_000,
      headers: {
        'content-type': one.contentType ?? 'application/json',
        ...(user.kind === 'token' ? { authorization: `Bearer ${user.token}` } : {}),
      },
      ...(user.kind === 'certificate' ? { cert: user.certificate, key: user.key } : {}),
    }
    return new Promise((resolve, reject) => {
      const sent = request(new URL(one.path, serverUrl), options, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: decode(Buffer.concat(pieces)) }))
      })
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${options.method} ${one.path}`)))
      sent.on('error', reject)
      sent.end(one.body === undefined ? undefined : JSON.stringify(one.body))
    })
  }

  /** The body of a 2xx answer; any other rejects with what the API server said. */
  async send(one: ApiRequest): Promise<unknown> {
    const { status, body } = await this.request(one)
    if (status >= 200 && status < 300) return body
    throw new ApiError(status, messageOf(body))
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
