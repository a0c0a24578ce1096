import type { Clock } from '@causeway/kube'

/** The timers of one stream, each of which runs once at a time; all of them end with it. */
export class Timers<Name extends string> {
  readonly #clock: Clock
  readonly #running = new Map<Name, unknown>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isRunning(name: Name): boolean {
    return this.#running.has(name)
  }

  /** Nothing when it is running already. */
  start(name: Name, ms: number, callback: () => void): void {
    if (this.isRunning(name)) return
    const handle = this.#clock.setTimeout(() => {
      this.#running.delete(name)
      callback()
    }, ms)
    this.#running.set(name, handle)
  }

  stop(name: Name): void {
    if (!this.isRunning(name)) return
    this.#clock.clearTimeout(this.#running.get(name))
    this.#running.delete(name)
  }

  stopAll(): void {
    for (const name of [...this.#running.keys()]) this.stop(name)
  }
}
