/** @import { ServerEvent } from '../contract.ts' */

/** The body of a response is more, or other, than this program takes. */
export class BodyError extends Error {}

/**
 * The events of a `text/event-stream`, read as WHATWG describes, on octets: what stands in `data` passes on as it came.
 * An event that the stream's end cut off is dropped. Throws BodyError for an event above `maxEventOctets`.
 *
 * @param {AsyncIterable<Buffer>} chunks
 * @param {number} maxEventOctets
 * @returns {AsyncGenerator<ServerEvent, void>}
 */
export async function* readEvents(chunks, maxEventOctets) {
  let event = new EventFields(undefined)
  for await (const line of readLines(chunks, maxEventOctets)) {
    if (line.length > 0) {
      event.add(line)
      if (event.octets > maxEventOctets) throw tooLong(maxEventOctets)
    } else {
      yield event.finish()
      event = new EventFields(event.lastEventId)
    }
  }
}

class EventFields {
  lastEventId
  octets = 0
  /** @type {number | undefined} */
  #retryMs
  /** @type {Buffer[]} */
  #data = []
  #type = ''

  /** @param {string | undefined} lastEventId of the events before */
  constructor(lastEventId) {
    this.lastEventId = lastEventId
  }

  /** @param {Buffer} line */
  add(line) {
    const colon = line.indexOf(COLON)
    if (colon === 0) return
    const name = line.toString('latin1', 0, colon < 0 ? line.length : colon)
    const value = colon < 0 ? EMPTY : line.subarray(line[colon + 1] === BLANK ? colon + 2 : colon + 1)
    if (name === 'data') {
      if (this.#data.length > 0) this.#data.push(LINE_END)
      this.#data.push(value)
      this.octets += value.length + 1
    } else if (name === 'id') {
      // What cannot be sent back in a header is no id.
      if (HEADER_VALUE.test(value.toString('latin1'))) this.lastEventId = value.toString()
    } else if (name === 'event') {
      this.#type = value.toString()
    } else if (name === 'retry' && /^\d{1,9}$/.test(value.toString('latin1'))) {
      this.#retryMs = Number(value.toString('latin1'))
    }
  }

  /** @returns {ServerEvent} */
  finish() {
    const isMessage = this.#type === '' || this.#type === 'message'
    return {
      lastEventId: this.lastEventId,
      retryMs: this.#retryMs,
      data: isMessage ? Buffer.concat(this.#data) : EMPTY,
    }
  }
}

/**
 * Lines that end with CR, LF or CRLF.
 *
 * @param {AsyncIterable<Buffer>} chunks
 * @param {number} maxLineOctets
 * @returns {AsyncGenerator<Buffer, void>}
 */
async function* readLines(chunks, maxLineOctets) {
  /** @type {Buffer[]} */
  let pieces = []
  let pieceOctets = 0
  let afterCr = false
  let first = true
  for await (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at]
      if (octet !== LF && octet !== CR) {
        afterCr = false
        continue
      }
      if (octet === LF && afterCr) {
        // The second half of a CRLF.
        afterCr = false
        from = at + 1
        continue
      }
      const line = Buffer.concat([...pieces, chunk.subarray(from, at)])
      pieces = []
      pieceOctets = 0
      afterCr = octet === CR
      from = at + 1
      yield first && line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? line.subarray(3) : line
      first = false
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
    pieceOctets += chunk.length - from
    if (pieceOctets > maxLineOctets + FIELD_NAME_OCTETS) throw tooLong(maxLineOctets)
  }
}

/** @param {number} maxOctets @returns {BodyError} */
function tooLong(maxOctets) {
  return new BodyError(`an event is longer than ${maxOctets} octets`)
}

/**
 * A whole body. Throws BodyError above `maxOctets`.
 *
 * @param {AsyncIterable<Buffer>} chunks
 * @param {number} maxOctets
 * @returns {Promise<Buffer>}
 */
export async function readBody(chunks, maxOctets) {
  const pieces = []
  let octets = 0
  for await (const chunk of chunks) {
    octets += chunk.length
    if (octets > maxOctets) throw new BodyError(`the answer is longer than ${maxOctets} octets`)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces)
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
const COLON = 0x3a
const FIELD_NAME_OCTETS = 'data: '.length
const EMPTY = Buffer.alloc(0)
const LINE_END = Buffer.from('\n')
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
