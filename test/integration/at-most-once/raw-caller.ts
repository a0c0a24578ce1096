import { type Answer, eventTexts, type HeaderChanges, HttpClient } from '../../fixtures/edge/http-client.ts'
import { modernCall } from '../clients.ts'
import type { Caller, RunArguments } from './caller.ts'
import { type Ending, endingOf } from './ending.ts'

/** Plain HTTP, one connection after the other, nothing made again behind anybody's back. */
export class RawCaller implements Caller {
  readonly era: Caller['era']
  /** Every body that was sent, and every one that came. */
  readonly bodies: (string | Buffer)[] = []
  readonly #http: HttpClient
  readonly #path: string
  #session: string | undefined
  #ids = 0

  static async connect(era: Caller['era'], url: string): Promise<RawCaller> {
    const caller = new RawCaller(era, new URL(url))
    await caller.reconnect()
    return caller
  }

  private constructor(era: Caller['era'], url: URL) {
    this.era = era
    this.#http = new HttpClient(Number(url.port))
    this.#path = url.pathname
  }

  get name(): string {
    return `${this.era} HTTP`
  }

  async run(args: RunArguments): Promise<Ending> {
    try {
      return endingOfAnswer(await this.post(args))
    } catch (error) {
      if (error instanceof SyntaxError) throw error
      return { how: 'broken' }
    }
  }

  /** The answer as it came. Rejects when none comes whole. */
  post(args: RunArguments): Promise<Answer> {
    const { body, headers } = this.#call(args)
    return this.#send(body, headers)
  }

  async reconnect(): Promise<void> {
    if (this.era === 'modern') return
    const initialize = message('initialize', {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    const { headers } = await this.#send(initialize)
    this.#session = String(headers['mcp-session-id'])
    await this.#send(message('notifications/initialized'), this.#legacyHeaders)
  }

  async close(): Promise<void> {
    this.#http.close()
  }

  get #legacyHeaders() {
    return { 'mcp-session-id': this.#session, 'mcp-protocol-version': LEGACY }
  }

  async #send(body: string, headers: HeaderChanges = {}): Promise<Answer> {
    const answer = await this.#http.post(body, headers, this.#path)
    this.bodies.push(body, answer.octets)
    return answer
  }

  #call(args: RunArguments) {
    const id = ++this.#ids
    if (this.era === 'modern') return modernCall('run', args, id)
    return { body: message('tools/call', { name: 'run', arguments: args }, id), headers: this.#legacyHeaders }
  }
}

const LEGACY = '2025-11-25'

function message(method: string, params: object = {}, id?: number): string {
  const withId = method === 'initialize' ? { id: 0 } : id === undefined ? {} : { id }
  return JSON.stringify({ jsonrpc: '2.0', ...withId, method, params })
}

function endingOfAnswer({ status, headers, body }: Answer): Ending {
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  return endingOf(status, isStream ? (eventTexts(body).at(-1) ?? '') : body)
}
