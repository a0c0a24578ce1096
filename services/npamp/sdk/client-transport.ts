import {
  calledTool,
  EFFECT,
  type Effect,
  effectOf,
  findMember,
  type RouteContext,
  type ScannedMessage,
  SESSION_END_REASON,
  type ServiceParameters,
  ToolFacts,
  toolPageOf,
} from '../index.ts'
import type { Carrier } from './carrier.ts'
import { Conversation, type Sending } from './conversation.ts'
import { type Failure, failure } from './failures.ts'
import { hex } from './hex.ts'
import { CLIENT_GONE } from './refusals.ts'
import type { SendOptions } from './transport.ts'

export interface ClientTransportOptions {
  /** Undefined: of a peer that is told none. */
  readonly target: string | undefined
  readonly random: (octets: number) => Uint8Array
  /** The transport is closed, or lost. */
  readonly onOver?: () => Promise<void>
}

/** What an MCP client has with one target behind a peer. Its session, where the era has one, begins with `initialize`. */
export class ClientTransport extends Conversation {
  readonly #options: ClientTransportOptions
  readonly #tools = new ToolFacts()
  #session: Uint8Array | undefined

  constructor(association: Carrier, options: ClientTransportOptions) {
    super(association)
    this.#options = options
  }

  get route(): RouteContext | undefined {
    const { target } = this.#options
    return target === undefined ? undefined : { target, session: this.#session }
  }

  async close(): Promise<void> {
    if (!this.over) {
      this.giveUp(CLIENT_GONE)
      this.#endSession()
      this.finish()
    }
    await this.#options.onOver?.()
  }

  sessionEnded(): void {
    this.#forgetSession()
    this.failAll(failure('SessionLost', 'unknown'))
    this.#end()
  }

  override draining(): void {
    if (this.openRequests === 0) this.#end()
  }

  override lost(): void {
    super.lost()
    void this.#options.onOver?.()
  }

  protected override sending(message: ScannedMessage, method: string, options: SendOptions): Sending {
    const label = { effect: this.#effectOf(message, method), scope: '' }
    const parameters = parametersOf(options.headers)
    if (method === 'initialize') {
      this.#openSession()
      return { label, parameters, onEnd: (kind) => this.#initialized(kind) }
    }
    return method === 'tools/list' ? { label, parameters, onEnd: this.#listing(message) } : { label, parameters }
  }

  protected override heard(method: string): void {
    if (method === 'notifications/tools/list_changed') this.#tools.forget()
  }

  protected override asked(failed: Failure | undefined): void {
    // There is nothing left to say in a session that the other side does not know.
    if (failed?.name === 'SessionLost') this.#forgetSession()
    const idle = this.association.drains && this.openRequests === 0
    if (failed?.name === 'SessionLost' || idle) this.#end()
  }

  // --- the session ---

  /** CARRIAGE section 1: minted with `initialize`, whether or not the server gives one. */
  #openSession(): void {
    this.#endSession()
    const key = this.#options.random(16)
    this.#session = key
    this.association.addSession(key, this)
  }

  /** An ERROR reply to `initialize` forgets the session. */
  #initialized(kind: 'result' | 'error' | 'failed'): void {
    if (kind === 'result') this.sessionId = this.#session && hex(this.#session)
    else this.#forgetSession()
  }

  #endSession(): void {
    const key = this.#session
    this.#forgetSession()
    if (key !== undefined) this.association.endSession(key, SESSION_END_REASON.CLIENT_ENDED)
  }

  #forgetSession(): void {
    if (this.#session !== undefined) this.association.removeSession(this.#session)
    this.#session = undefined
  }

  #end(): void {
    this.#endSession()
    this.finish()
    void this.#options.onOver?.()
  }

  // --- labels (CARRIAGE section 11) ---

  /** Every request carries one (digest 06 section 5.3). */
  #effectOf(message: ScannedMessage, method: string): Effect {
    if (method !== 'tools/call') return effectOf(method)
    const tool = calledTool(message)
    return (tool === undefined ? undefined : this.#tools.effectOf(tool)) ?? EFFECT.DESTRUCTIVE
  }

  #listing({ text, params }: ScannedMessage): Sending['onEnd'] {
    const first = params === undefined || findMember(text, params, 'cursor') === undefined
    const { generation } = this.#tools
    return (_kind, reply) => {
      const page = reply && toolPageOf(reply)
      if (page !== undefined) this.#tools.learn(page, first, generation)
    }
  }
}

const NONE: ServiceParameters = new Map()

/** What an SDK would say in HTTP headers and MCP lets cross (CARRIAGE section 1, TLV 0x4352). */
function parametersOf(headers: SendOptions['headers']): ServiceParameters {
  if (headers === undefined) return NONE
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return new Map(named.filter(([name]) => name === 'mcp-name' || name.startsWith('mcp-param-')))
}
