import { LimitError, MalformedError } from '../../errors.ts'
import { OPEN_BRACE, OPEN_BRACKET, QUOTE, skipBlanks, skipValue } from './json-lexer.ts'
import {
  arrayElements,
  eachMember,
  requireEnd,
  requireUtf8,
  type Span,
  shortText,
  stringValue,
  type Utf8Check,
} from './json-text.ts'

/**
 * A JSON-RPC message as octets with marks on them. Nothing is parsed into values: numbers keep their spelling, objects
 * their order, and what crosses is `text` itself (RPC-001, CARRIAGE section 3).
 */
export interface ScannedMessage {
  readonly shape: MessageShape
  /** From the first to the last octet of the JSON text; a view of what was scanned. Spans count from its start. */
  readonly text: Uint8Array
  /**
   * The id exactly as written, quotes included; `null` is a token too. Absent in notifications, batches, and in an error
   * response that left it out (read as null).
   */
  readonly idToken: Uint8Array | undefined
  /** Decoded; may hold lone surrogates and be of any length (`methodFault` judges that). */
  readonly method: string | undefined
  readonly params: Span | undefined
  readonly result: Span | undefined
  readonly error: Span | undefined
}

export type MessageShape = 'request' | 'notification' | 'result' | 'error' | 'batch'

export interface ScanOptions {
  readonly isUtf8?: Utf8Check
}

/**
 * Takes one JSON text apart. A top-level array is a batch and its elements are not looked at (`splitBatch`). Throws
 * MalformedError: JSON where it is no JSON text (also a BOM, invalid UTF-8, too deep), JSON_RPC where it is no
 * JSON-RPC 2.0 message (CARRIAGE section 3, digest 04 section 10).
 */
export function scanMessage(octets: Uint8Array, options: ScanOptions = {}): ScannedMessage {
  requireUtf8(octets, options.isUtf8)
  const body = octets.subarray(skipBlanks(octets, 0))
  const marks: Marks = {}
  const end =
    body[0] === OPEN_BRACE
      ? eachMember(body, 0, (nameStart, nameEnd, start, end) => {
          mark(marks, shortText(body, { start: nameStart, end: nameEnd }, LONGEST_MEMBER), start, end)
        })
      : skipValue(body, 0)
  requireEnd(body, end)
  const text = body.subarray(0, end)
  if (text[0] === OPEN_BRACKET) return { ...NO_MEMBERS, shape: 'batch', text }
  if (text[0] !== OPEN_BRACE) throw notJsonRpc('the message is not an object')
  const members = membersOf(text, marks)
  return { ...members, shape: shapeOf(members), text }
}

/**
 * The raw texts of a batch's elements, each to be scanned by itself. Throws LimitError ITEMS above `maxElements`, before
 * more are kept; MalformedError JSON_RPC for an empty batch, which JSON-RPC forbids.
 */
export function splitBatch(batch: ScannedMessage, maxElements: number): Uint8Array[] {
  const elements = arrayElements(batch.text, { start: 0, end: batch.text.length }, maxElements)
  if (elements === undefined) throw new LimitError('ITEMS', `a batch holds more than ${maxElements} messages`)
  if (elements.length === 0) throw notJsonRpc('the batch is empty')
  return elements
}

type Members = Pick<ScannedMessage, 'idToken' | 'method' | 'params' | 'result' | 'error'>

const NO_MEMBERS: Members = {
  idToken: undefined,
  method: undefined,
  params: undefined,
  result: undefined,
  error: undefined,
}

interface Marks {
  jsonrpc?: Span
  id?: Span
  method?: Span
  params?: Span
  result?: Span
  error?: Span
  /** The first member that must not repeat and did; said only once the whole text has turned out to be JSON. */
  repeated?: string
}

/** Notes where a member stands. Two readers that pick different ones of a repeated member see different messages. */
function mark(marks: Marks, name: string | undefined, start: number, end: number): void {
  switch (name) {
    case 'jsonrpc':
    case 'id':
    case 'method':
      if (marks[name] !== undefined) marks.repeated ??= name
      marks[name] = { start, end }
      break
    case 'params':
    case 'result':
    case 'error':
      marks[name] = { start, end }
      break
  }
}

function membersOf(text: Uint8Array, marks: Marks): Members {
  const { jsonrpc, id, method, params, result, error, repeated } = marks
  if (repeated !== undefined) throw notJsonRpc(`${repeated} appears twice`)
  // RPC-003, RPC-004
  if (jsonrpc === undefined || text[jsonrpc.start] !== QUOTE || stringValue(text, jsonrpc) !== '2.0')
    throw notJsonRpc('jsonrpc is not "2.0"')
  if (method !== undefined && text[method.start] !== QUOTE) throw notJsonRpc('method is not a string')
  return { idToken: id && idToken(text, id), method: method && stringValue(text, method), params, result, error }
}

const LONGEST_MEMBER = 'jsonrpc'.length

function idToken(text: Uint8Array, span: Span): Uint8Array {
  const first = text[span.start] as number
  const fits = first === QUOTE || first === 0x6e || first === 0x2d || (first >= 0x30 && first <= 0x39)
  if (!fits) throw notJsonRpc('id is neither a string, a number nor null')
  return text.subarray(span.start, span.end)
}

function shapeOf(members: Members): MessageShape {
  const { idToken, method, result, error } = members
  if (method !== undefined) {
    // What is a request to one reader and a response to another belongs in no frame.
    if (result !== undefined || error !== undefined) throw notJsonRpc('the message is both request and response')
    return idToken === undefined ? 'notification' : 'request'
  }
  if (result !== undefined && error !== undefined) throw notJsonRpc('the response has both result and error')
  if (error !== undefined) return 'error'
  if (result === undefined) throw notJsonRpc('the message is neither request nor response')
  if (idToken === undefined) throw notJsonRpc('the response has no id')
  return 'result'
}

export function notJsonRpc(why: string): MalformedError {
  return new MalformedError('JSON_RPC', why)
}
