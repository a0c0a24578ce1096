import type { Source } from '../sources/source.ts'

/**
 * Fresh lists for those who need one before they go on. Whoever asks gets a list that begins after it asked; who asks
 * while another waits for its list to begin gets the same one.
 */
export class Relister {
  readonly #source: Pick<Source, 'relist'>
  readonly #signal: AbortSignal
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `signal`: ends all of it. */
  constructor(source: Pick<Source, 'relist'>, signal: AbortSignal) {
    this.#source = source
    this.#signal = signal
  }

  /** Resolves when everything that differs has been told. Rejects only when the source is closed. */
  list(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#source.relist({ consistent: true, signal: this.#signal }).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
