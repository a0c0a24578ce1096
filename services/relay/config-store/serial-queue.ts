/** Does one thing after the other, in the order in which they were asked for; one that fails does not hold up the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
