import type { StreamEnd } from './contract.ts'

/** Whether a stream is over and why, and who waits until more may be sent. */
export class StreamState {
  readonly closed: Promise<StreamEnd>
  #resolveClosed: (end: StreamEnd) => void = () => {}
  #isClosed = false
  #waiting: (() => void)[] = []

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The first reason stays. */
  close(end: StreamEnd): void {
    this.#isClosed = true
    this.#resolveClosed(end)
    this.becameWritable()
  }

  writable(isWritable: boolean): Promise<void> {
    if (isWritable || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  becameWritable(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
