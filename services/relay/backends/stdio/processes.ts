import type { CallFailure, Era, SessionClient } from '../../exchanges/contract.ts'
import { atMost } from '../../pacing/at-most.ts'
import { Conversation, type ConversationHost, type ConversationOwner } from './conversation.ts'

/** All processes of one backend, from their start until nothing of them is left. */
export class Processes {
  readonly #host: ConversationHost
  readonly #all = new Set<Conversation>()
  #onNone: (() => void)[] = []

  constructor(host: ConversationHost) {
    this.#host = host
  }

  /** Why none may be started now for this era. */
  refusal(era: Era): CallFailure | undefined {
    return this.#host.starts[era].refusal()
  }

  /** Starts a process. That this failed is told to the calls that are opened on it. */
  start(owner: ConversationOwner, era: Era, client?: SessionClient): Conversation {
    const counted: ConversationOwner = {
      over: (end) => owner.over(end),
      callsEnded: () => owner.callsEnded?.(),
      stray: (what) => owner.stray?.(what),
      gone: () => {
        this.#all.delete(conversation)
        owner.gone()
        if (this.#all.size === 0) for (const none of this.#onNone.splice(0)) none()
      },
    }
    const conversation = new Conversation(this.#host, counted, era, client)
    this.#all.add(conversation)
    return conversation
  }

  /** Ends what still runs; resolves when nothing is left, or after the limit, when no signal helps. */
  async end(limitMs: number, killAfterMs: number): Promise<void> {
    for (const conversation of this.#all) conversation.stop()
    const { clock } = this.#host
    const killer = clock.setTimeout(() => this.kill(), killAfterMs)
    await atMost(clock, this.#none(), limitMs)
    clock.clearTimeout(killer)
  }

  /** All of them, at once. */
  kill(): void {
    for (const conversation of this.#all) conversation.kill()
  }

  #none(): Promise<void> {
    if (this.#all.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onNone.push(resolve))
  }
}
