import { MisuseError } from '../errors.ts'

interface Wipeable {
  wipe(): void
}

/**
 * What a handshake state holds, to be taken once: a state consumes itself, so a second frame given to it is the caller's
 * mistake, as is any use after `wipe`.
 */
export class Held<T extends Wipeable> {
  #content: T | undefined

  constructor(content: T) {
    this.#content = content
  }

  /** Throws MisuseError STATE when it was taken or wiped before. */
  take(): T {
    const content = this.#content
    if (content === undefined) throw new MisuseError('STATE', 'this handshake state was consumed')
    this.#content = undefined
    return content
  }

  wipe(): void {
    this.#content?.wipe()
    this.#content = undefined
  }
}
