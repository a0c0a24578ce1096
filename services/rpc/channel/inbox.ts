import { RpcError } from './rpc-error.ts'

/**
 * Messages that have come and have not been taken, for one reader. Whoever puts them in looks at `full` and waits for
 * `onRoom`.
 */
export class Inbox<Received> implements AsyncIterable<Received> {
  readonly #capacity: number
  readonly #onRoom: () => void
  readonly #messages: Received[] = []
  #end: { readonly error: RpcError | undefined } | undefined
  #wake: (() => void) | undefined
  #taken = false

  /** `onRoom` is called when an inbox that was full is not any more. */
  constructor(capacity: number, onRoom: () => void) {
    this.#capacity = capacity
    this.#onRoom = onRoom
  }

  get full(): boolean {
    return this.#messages.length >= this.#capacity
  }

  put(message: Received): void {
    if (this.#end !== undefined) return
    this.#messages.push(message)
    this.#wake?.()
  }

  /** What came before is still read; then the reader ends, or gets the error. */
  finish(error: RpcError | undefined): void {
    this.#end ??= { error }
    this.#wake?.()
  }

  /** As `finish`, and nothing more is read. */
  abandon(error: RpcError | undefined): void {
    this.#messages.length = 0
    this.finish(error)
  }

  [Symbol.asyncIterator](): AsyncIterator<Received, undefined> {
    if (this.#taken) throw new RpcError('FAILED_PRECONDITION', 'the stream has a reader already')
    this.#taken = true
    return { next: () => this.#next(), return: () => this.#return() }
  }

  async #next(): Promise<IteratorResult<Received, undefined>> {
    for (;;) {
      const wasFull = this.full
      const message = this.#messages.shift()
      if (message !== undefined) {
        if (wasFull) this.#onRoom()
        return { done: false, value: message }
      }
      if (this.#end !== undefined) return this.#ended(this.#end)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #ended({ error }: { readonly error: RpcError | undefined }): IteratorResult<Received, undefined> {
    // Told once: a reader that asks again is at the end.
    this.#end = { error: undefined }
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }

  async #return(): Promise<IteratorResult<Received, undefined>> {
    const wasFull = this.full
    this.abandon(undefined)
    if (wasFull) this.#onRoom()
    return { done: true, value: undefined }
  }
}
