/**
 * One JSON text as a server-sent event. The format ends a line at LF, CR or CRLF, so a text over several lines becomes
 * several `data:` lines, and a reader joins them by LF: the one change that the outer format forces (CARRIAGE section 3).
 * JSON has line ends only outside strings.
 */

const HEAD = Buffer.from('event: message\n')
const DATA = Buffer.from('data: ')
const LINE_END = Buffer.from('\n')
const ONE_LINE_HEAD = Buffer.concat([HEAD, DATA])
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

export function sseEvent(text: Uint8Array): SseEvent {
  const returns = countReturns(text)
  if (returns > 0 || text.indexOf(LF) >= 0) return { pieces: severalLines(text), changes: returns }
  return { pieces: text.length <= COPY_OCTETS ? [oneLine(text)] : [ONE_LINE_HEAD, text, ONE_LINE_TAIL], changes: 0 }
}

function oneLine(text: Uint8Array): Uint8Array {
  const event = Buffer.allocUnsafe(ONE_LINE_HEAD.length + text.length + ONE_LINE_TAIL.length)
  event.set(ONE_LINE_HEAD, 0)
  event.set(text, ONE_LINE_HEAD.length)
  event.set(ONE_LINE_TAIL, ONE_LINE_HEAD.length + text.length)
  return event
}

function countReturns(text: Uint8Array): number {
  let count = 0
  for (let at = text.indexOf(CR); at >= 0; at = text.indexOf(CR, at + 1)) count++
  return count
}

/** In pieces of bounded size whatever the text is, even one of nothing but line ends. */
function* severalLines(text: Uint8Array): Generator<Uint8Array> {
  let piece = Buffer.allocUnsafe(PIECE_OCTETS)
  let used = 0
  const put = (octets: Uint8Array): void => {
    piece.set(octets, used)
    used += octets.length
  }
  put(HEAD)
  put(DATA)
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
