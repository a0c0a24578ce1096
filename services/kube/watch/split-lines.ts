import { KubeError } from '../rest/kube-error.ts'

const NEWLINE = 0x0a

/** Cuts octets into lines as they arrive; an unfinished last line waits for the rest. */
export class LineSplitter {
  readonly #maxOctets: number
  readonly #what: string
  #parts: Buffer[] = []
  #octets = 0

  constructor(maxOctets: number, what: string) {
    this.#maxOctets = maxOctets
    this.#what = what
  }

  /** The lines that `chunk` completes, without their ends; empty ones are left out.
   * @throws {KubeError} `TooLarge` */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      if (this.#octets > 0) lines.push(Buffer.concat(this.#parts))
      this.#parts = []
      this.#octets = 0
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  #keep(part: Buffer): void {
    this.#octets += part.length
    if (this.#octets > this.#maxOctets) {
      throw new KubeError('TooLarge', `${this.#what}: an event has more than ${this.#maxOctets} octets`)
    }
    if (part.length > 0) this.#parts.push(part)
  }
}
