/** @import { Writable } from 'node:stream' */

/** Writes one message a line. */
export class LineWriter {
  #output
  #gone = false
  /** @type {(() => void)[]} */
  #waiting = []

  /**
   * @param {Writable} output
   * @param {() => void} onGone nobody reads any more
   */
  constructor(output, onGone) {
    this.#output = output
    const gone = () => {
      if (this.#gone) return
      this.#gone = true
      this.#release()
      onGone()
    }
    output.on('error', gone)
    output.on('close', gone)
    output.on('drain', () => this.#release())
  }

  /**
   * Resolves when more may be written, at the latest when the reader is gone: who waits for it reads its source no
   * faster than the host reads us.
   *
   * @param {Uint8Array} octets one JSON text
   * @returns {Promise<void>}
   */
  async write(octets) {
    if (this.#gone) return
    const line = Buffer.allocUnsafe(octets.length + 1)
    line.set(octets)
    // A JSON text has line ends only between its tokens, where a blank is as good (CARRIAGE section 3).
    for (let at = 0; at < octets.length; at++) if (line[at] === LF || line[at] === CR) line[at] = BLANK
    line[octets.length] = LF
    if (!this.#output.write(line)) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)))
  }

  #release() {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
