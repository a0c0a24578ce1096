import type { Clock } from '@causeway/npamp/transports'

/** A wait that somebody can cut short. One at a time. */
export class Wait {
  readonly #clock: Clock
  #end: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async for(ms: number): Promise<void> {
    let timer: unknown
    await new Promise<void>((resolve) => {
      this.#end = resolve
      timer = this.#clock.setTimeout(resolve, ms)
    })
    this.#end = undefined
    this.#clock.clearTimeout(timer)
  }

  skip(): void {
    this.#end?.()
  }
}
