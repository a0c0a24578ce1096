/**
 * One JSON text as a server-sent event. The format ends a line at LF, CR or CRLF, so a text over several lines becomes
 * several `data:` lines, and a reader joins them by LF: the one change that the outer format forces (CARRIAGE section 3).
 * JSON has line ends only outside strings.
 */

const ONE_LINE_HEAD = Buffer.from('event: message\ndata: ')
const DATA = Buffer.from('data: ')
const LINE_END = Buffer.from('\n')
const ONE_LINE_TAIL = Buffer.from('\n\n')

const LF = 0x0a
const CR = 0x0d

/** Texts up to here are copied into one piece; larger ones are sent from where they are. */
const COPY_OCTETS = 16 * 1024
const PIECE_OCTETS = 64 * 1024

export interface SseEvent {
  /** In order; lazily made, so that a large text costs no second copy of itself. */
  readonly pieces: Iterable<Uint8Array>
  /** CR octets that a reader will not see. */
  readonly changes: number
}

/** `id` is what the client may go on after; it holds no line end. */
export function sseEvent(text: Uint8Array, id?: string): SseEvent {
  const head = id === undefined ? ONE_LINE_HEAD : headWithId(id)
  const returns = countReturns(text)
  if (returns > 0 || text.indexOf(LF) >= 0) return { pieces: severalLines(head, text), changes: returns }
  const pieces = text.length <= COPY_OCTETS ? [oneLine(head, text)] : [head, text, ONE_LINE_TAIL]
  return { pieces, changes: 0 }
}

/** An event without data: it only says what the client may go on after, and when to come back if the stream breaks. */
export function primingEvent(id: string, retryMs: number): Uint8Array {
  return Buffer.from(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
}

function headWithId(id: string): Uint8Array {
  return Buffer.from(`event: message\nid: ${id}\ndata: `)
}

function oneLine(head: Uint8Array, text: Uint8Array): Uint8Array {
  const event = Buffer.allocUnsafe(head.length + text.length + ONE_LINE_TAIL.length)
  event.set(head, 0)
  event.set(text, head.length)
  event.set(ONE_LINE_TAIL, head.length + text.length)
  return event
}

function countReturns(text: Uint8Array): number {
  let count = 0
  for (let at = text.indexOf(CR); at >= 0; at = text.indexOf(CR, at + 1)) count++
  return count
}

/** In pieces of bounded size whatever the text is, even one of nothing but line ends. */
function* severalLines(head: Uint8Array, text: Uint8Array): Generator<Uint8Array> {
  let piece = Buffer.allocUnsafe(PIECE_OCTETS)
  let used = 0
  const put = (octets: Uint8Array): void => {
    piece.set(octets, used)
    used += octets.length
  }
  put(head)
  let at = 0
  while (at < text.length) {
    const room = PIECE_OCTETS - used - DATA.length - ONE_LINE_TAIL.length
    if (room <= 0) {
      yield piece.subarray(0, used)
      piece = Buffer.allocUnsafe(PIECE_OCTETS)
      used = 0
      continue
    }
    const end = plainEnd(text, at, Math.min(text.length, at + room))
    put(text.subarray(at, end))
    at = end
    if (at < text.length && isLineEnd(text[at])) {
      at += text[at] === CR && text[at + 1] === LF ? 2 : 1
      put(LINE_END)
      put(DATA)
    }
  }
  put(ONE_LINE_TAIL)
  yield piece.subarray(0, used)
}

/** The first line end in `[start, limit)`, or `limit`. */
function plainEnd(text: Uint8Array, start: number, limit: number): number {
  let at = start
  while (at < limit && !isLineEnd(text[at])) at++
  return at
}

function isLineEnd(octet: number | undefined): boolean {
  return octet === LF || octet === CR
}
