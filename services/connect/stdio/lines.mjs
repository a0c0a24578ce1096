/** @import { Readable } from 'node:stream' */

/** What came of one line: its octets without the line's end, or undefined for one that was too long and is dropped. */
/** @typedef {Buffer | undefined} Line */

/**
 * The lines of a stream, in order, read ahead of whoever takes them so that the end is noticed at once. What waits is
 * bounded: beyond `maxQueuedOctets` the stream is not read until some were taken.
 */
export class LineReader {
  /** @type {Line[]} */
  #waiting = []
  #waitingOctets = 0
  /** @type {Buffer[]} */
  #pieces = []
  #pieceOctets = 0
  #skipping = false
  #ended = false
  /** @type {(() => void) | undefined} */
  #wake
  #input
  #maxLineOctets

  /**
   * @param {Readable} input
   * @param {number} maxLineOctets
   * @param {() => void} onEnd the stream has ended or failed; lines may still wait
   */
  constructor(input, maxLineOctets, onEnd) {
    this.#input = input
    this.#maxLineOctets = maxLineOctets
    const end = () => {
      if (this.#ended) return
      // What stands behind the last line end is a message too: the writer may just have left the line end out.
      if (this.#pieceOctets > 0 || this.#skipping) this.#endLine()
      this.#ended = true
      this.#wake?.()
      onEnd()
    }
    input.on('data', (/** @type {Buffer} */ chunk) => this.#take(chunk))
    input.on('end', end)
    input.on('close', end)
    input.on('error', end)
  }

  /** @returns {AsyncGenerator<Line, void>} */
  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.#waiting.length > 0) {
        const line = this.#waiting.shift()
        this.#waitingOctets -= line?.length ?? 0
        if (this.#waitingOctets <= this.#maxLineOctets && this.#input.isPaused()) this.#input.resume()
        yield line
      } else if (this.#ended) {
        return
      } else {
        await new Promise((resolve) => {
          this.#wake = () => resolve(undefined)
        })
      }
    }
  }

  /** @param {Buffer} chunk */
  #take(chunk) {
    let from = 0
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#append(chunk.subarray(from, at))
      this.#endLine()
      from = at + 1
    }
    this.#append(chunk.subarray(from))
    if (this.#waitingOctets > this.#maxLineOctets) this.#input.pause()
    this.#wake?.()
  }

  /** @param {Buffer} piece */
  #append(piece) {
    if (this.#skipping || piece.length === 0) return
    this.#pieceOctets += piece.length
    if (this.#pieceOctets > this.#maxLineOctets) {
      this.#skipping = true
      this.#pieces = []
    } else {
      this.#pieces.push(piece)
    }
  }

  #endLine() {
    const line = this.#skipping ? undefined : withoutCarriageReturn(Buffer.concat(this.#pieces))
    this.#skipping = false
    this.#pieces = []
    this.#pieceOctets = 0
    if (line !== undefined && isBlank(line)) return
    this.#waiting.push(line)
    this.#waitingOctets += line?.length ?? 0
  }
}

/** @param {Buffer} line @returns {Buffer} */
function withoutCarriageReturn(line) {
  return line.at(-1) === CR ? line.subarray(0, -1) : line
}

/** @param {Buffer} line @returns {boolean} */
function isBlank(line) {
  return line.every((octet) => octet === 0x20 || octet === 0x09)
}

const LF = 0x0a
const CR = 0x0d
