import {
  effectOf,
  type IncomingExchange,
  type RouteContext,
  type ScannedMessage,
  SESSION_END_REASON,
} from '../index.ts'
import type { Carrier } from './carrier.ts'
import { Conversation, type Sending } from './conversation.ts'
import { hex } from './hex.ts'
import { NO_SESSION, UNANSWERED } from './refusals.ts'

/** A legacy session of the peer's, as the server's SDK sees it. */
export class SessionTransport extends Conversation {
  readonly route: RouteContext | undefined
  readonly #key: Uint8Array
  /** The `initialize` that opened it, until it is answered. */
  #opening: IncomingExchange | undefined
  readonly #onOver: () => void

  /** `route` is undefined for a peer that can name no session; `key` is ours then. */
  constructor(
    association: Carrier,
    { route, key, opening }: { route: RouteContext | undefined; key: Uint8Array; opening: IncomingExchange },
    onOver: () => void,
  ) {
    super(association)
    this.route = route
    this.sessionId = hex(key)
    this.#key = key
    this.#opening = opening
    this.#onOver = onOver
    if (route !== undefined) association.addSession(key, this)
  }

  async close(): Promise<void> {
    if (this.over) return
    this.giveUp(NO_SESSION)
    if (this.route !== undefined) this.association.endSession(this.#key, SESSION_END_REASON.BACKEND_LOST)
    this.finish()
  }

  sessionEnded(): void {
    this.giveUp(NO_SESSION)
    this.finish()
  }

  protected override finish(): void {
    if (!this.over && this.route !== undefined) this.association.removeSession(this.#key)
    super.finish()
    this.#onOver()
  }

  protected override sending(_message: ScannedMessage, method: string): Sending {
    return { label: { effect: effectOf(method), scope: '' } }
  }

  /** An ERROR reply to `initialize` forgets the session (CARRIAGE section 1). */
  protected override answered(exchange: IncomingExchange, kind: 'result' | 'error'): void {
    if (exchange !== this.#opening) return
    this.#opening = undefined
    if (kind === 'error') this.finishSoon()
  }

  override cancelled(event: Parameters<Conversation['cancelled']>[0]): void {
    super.cancelled(event)
    if (event.exchange === this.#opening) this.finishSoon()
  }
}

/**
 * One request outside any session, as every request of the modern era is: its own scope of ids, and all that the server
 * sends belongs to it. Over once it is answered.
 */
export class ExchangeTransport extends Conversation {
  readonly route: RouteContext | undefined
  readonly #exchange: IncomingExchange

  constructor(association: Carrier, exchange: IncomingExchange) {
    super(association)
    this.#exchange = exchange
    this.route = exchange.route
  }

  async close(): Promise<void> {
    if (this.over) return
    this.giveUp(UNANSWERED)
    this.finish()
  }

  /** It is in none. */
  sessionEnded(): void {}

  override cancelled(event: Parameters<Conversation['cancelled']>[0]): void {
    super.cancelled(event)
    this.finishSoon()
  }

  protected override get subject(): IncomingExchange {
    return this.#exchange
  }

  protected override sending(_message: ScannedMessage, method: string): Sending {
    return { label: { effect: effectOf(method), scope: '' } }
  }

  protected override answered(exchange: IncomingExchange): void {
    if (exchange === this.#exchange) this.finishSoon()
  }
}
