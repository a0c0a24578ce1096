/** Sends in the order they were asked for, each once there is room for it: this is what a full send queue costs a caller. */
export class RoomQueue {
  readonly #isFull: () => boolean
  readonly #waiting: (() => void)[] = []
  #releasing = false

  constructor(isFull: () => boolean) {
    this.#isFull = isFull
  }

  /** At once where there is room. Settles as `act` does. */
  run<Result>(act: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const attempt = (): void => {
        try {
          resolve(act())
        } catch (error) {
          reject(error)
        }
      }
      if (this.#waiting.length === 0 && !this.#isFull()) attempt()
      else this.#waiting.push(attempt)
    })
  }

  /** There is room again. */
  drained(): void {
    // An act may end the association, whose end comes back here.
    if (this.#releasing) return
    this.#releasing = true
    while (!this.#isFull()) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      next()
    }
    this.#releasing = false
  }
}
