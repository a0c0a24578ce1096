/** First in, first out; one array that grows on first use and lets go of what was taken. */
export class Fifo<T> {
  #items: (T | undefined)[] = EMPTY
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    // A literal of one has room for one; an empty array makes room for 17 when something is pushed.
    if (this.#items.length === 0) this.#items = [item]
    else this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head === this.#items.length) this.clear()
    else if (this.#head === COMPACT_AT) this.#compact()
    return item
  }

  clear(): void {
    this.#items = EMPTY
    this.#head = 0
  }

  /** A queue that never runs empty must not keep the places of everything that ever went through it. */
  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}

const COMPACT_AT = 1024
/** Shared by all empty queues, so that an idle one owns no array. */
const EMPTY: never[] = []
