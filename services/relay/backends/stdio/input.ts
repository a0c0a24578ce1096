import type { Writable } from 'node:stream'
import { oneLine } from './one-line.ts'

/** A message on its way to a process. Its callbacks may come while it is being added. */
export interface InputMessage {
  readonly octets: Uint8Array
  /** Its first octet is handed to the pipe: from here on nobody knows what became of it (CARRIAGE section 4). */
  handed?(): void
  /** Once, after `handed`: the pipe took all of it, or never will. */
  settled?(): void
}

export interface InputLimits {
  readonly maxMessages: number
  /** Over all that wait; one message alone may be larger. */
  readonly maxOctets: number
}

/**
 * The standard input of a process, one message a line, in the order they came. What the process does not read waits here,
 * within limits, and is not sent until its turn.
 */
export class Input {
  readonly #limits: InputLimits
  readonly #onLineEndsChanged: (count: number) => void
  #stream: Writable | undefined
  #waiting: InputMessage[] = []
  #waitingOctets = 0
  #state: 'open' | 'ending' | 'closed' = 'open'
  #full = false

  constructor(limits: InputLimits, onLineEndsChanged: (count: number) => void) {
    this.#limits = limits
    this.#onLineEndsChanged = onLineEndsChanged
  }

  /** The process runs: what waits goes now. */
  connect(stream: Writable): void {
    this.#stream = stream
    stream.on('drain', () => {
      this.#full = false
      this.#flush()
    })
    this.#flush()
  }

  /** False: it is closed, or about to be. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** False: too much waits, or it is closed; nothing of the message was taken. */
  add(message: InputMessage): boolean {
    if (this.#state !== 'open' || !this.#hasRoomFor(message)) return false
    this.#waiting.push(message)
    this.#waitingOctets += message.octets.length
    this.#flush()
    return true
  }

  /** Takes back a message that was not handed over. */
  withdraw(message: InputMessage): void {
    const at = this.#waiting.indexOf(message)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#waitingOctets -= message.octets.length
  }

  /** Closes the standard input behind what waits, and takes nothing more. */
  end(): void {
    if (this.#state !== 'open') return
    this.#state = 'ending'
    this.#flush()
  }

  /** Drops what waits: the process reads no more. */
  close(): void {
    this.#state = 'closed'
    this.#waiting = []
    this.#waitingOctets = 0
  }

  #hasRoomFor({ octets }: InputMessage): boolean {
    const { maxMessages, maxOctets } = this.#limits
    const waiting = this.#waiting.length
    return waiting < maxMessages && (waiting === 0 || this.#waitingOctets + octets.length <= maxOctets)
  }

  #flush(): void {
    const stream = this.#stream
    if (stream === undefined) return
    while (!this.#full) {
      const message = this.#waiting.shift()
      if (message === undefined) break
      this.#waitingOctets -= message.octets.length
      this.#write(stream, message)
    }
    if (this.#state === 'ending' && this.#waiting.length === 0) {
      this.#state = 'closed'
      stream.end()
    }
  }

  #write(stream: Writable, message: InputMessage): void {
    const { line, changed } = oneLine(message.octets)
    if (changed > 0) this.#onLineEndsChanged(changed)
    stream.cork()
    stream.write(line)
    // Also called when it failed, where the stream says itself why.
    this.#full = !stream.write(LF, () => message.settled?.())
    stream.uncork()
    message.handed?.()
  }
}

const LF = Buffer.from('\n')
