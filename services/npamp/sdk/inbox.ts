import type { JsonRpcMessage } from './transport.ts'

export interface InboxOptions {
  readonly deliver: (message: JsonRpcMessage) => void
  /** After the last message. */
  readonly onEnd: () => void
}

/**
 * Messages on their way to an SDK, in order. It holds what comes before the SDK has started, and keeps an answer apart from
 * the notifications before it: both SDKs handle a notification a microtask late and an answer at once, so that the last
 * progress of a call would be nobody's if both came in one turn.
 */
export class Inbox {
  readonly #options: InboxOptions
  readonly #waiting: JsonRpcMessage[] = []
  #state: 'early' | 'open' | 'ending' | 'over' = 'early'
  #delivering = false
  /** The SDK was given a notification in this turn. */
  #notified = false

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Messages held because the SDK has not started. */
  get early(): number {
    return this.#state === 'early' ? this.#waiting.length : 0
  }

  get started(): boolean {
    return this.#state !== 'early'
  }

  start(): void {
    if (this.#state === 'early') this.#state = 'open'
    this.#deliver()
  }

  push(message: JsonRpcMessage): void {
    if (this.#state === 'ending' || this.#state === 'over') return
    this.#waiting.push(message)
    this.#deliver()
  }

  /** Nothing more will come. What came is still delivered, unless nobody is there to take it. */
  end(): void {
    if (this.#state === 'early') this.#waiting.length = 0
    if (this.#state !== 'over') this.#state = 'ending'
    this.#deliver()
  }

  #deliver(): void {
    if (this.#delivering || this.#state === 'early') return
    this.#delivering = true
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.method === undefined && this.#notified) break
      this.#waiting.shift()
      if (next.method !== undefined && next.id === undefined) this.#noteNotification()
      this.#options.deliver(next)
    }
    this.#delivering = false
    if (this.#state !== 'ending' || this.#waiting.length > 0) return
    this.#state = 'over'
    this.#options.onEnd()
  }

  #noteNotification(): void {
    if (this.#notified) return
    this.#notified = true
    // By then the turn is over, and the SDK has handled it.
    setImmediate(() => {
      this.#notified = false
      this.#deliver()
    })
  }
}
