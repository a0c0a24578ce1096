/** What the headers of an MCP POST say about media types; parameters, wildcards and case as RFC 9110 has them. */

/** `Content-Type: application/json`, in no other charset than UTF-8 (of which US-ASCII is a part). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  if (contentType === undefined) return false
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'application/json') return false
  return parameters.every((parameter) => {
    const charset = /^\s*charset\s*=\s*"?([^\s"]*)"?\s*$/i.exec(parameter)?.[1]
    return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)
  })
}

/** Whether the octets of the body are the text itself. */
export function isIdentity(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || /^\s*(identity)?\s*$/i.test(contentEncoding)
}

/** Clients send a handful of different Accept headers, and each of them always the same. */
const MEMORY = 64

/** Judges `Accept`, and remembers its verdicts. A client that sends no Accept takes everything. */
export class AcceptHeader {
  readonly #verdicts = new Map<string, Verdict>()

  /** Whether both JSON and an event stream may answer. */
  admitsBoth(accept: string | undefined): boolean {
    if (accept === undefined) return true
    const { json, events } = this.#verdict(accept)
    return json && events
  }

  admitsEvents(accept: string | undefined): boolean {
    return accept === undefined || this.#verdict(accept).events
  }

  #verdict(accept: string): Verdict {
    const known = this.#verdicts.get(accept)
    if (known !== undefined) return known
    const ranges = mediaRanges(accept)
    const verdict = { json: admits(ranges, 'application', 'json'), events: admits(ranges, 'text', 'event-stream') }
    if (this.#verdicts.size >= MEMORY) this.#verdicts.clear()
    this.#verdicts.set(accept, verdict)
    return verdict
  }
}

interface Verdict {
  readonly json: boolean
  readonly events: boolean
}

interface MediaRange {
  readonly type: string
  readonly subtype: string
  /** `q=0` excludes. */
  readonly excluded: boolean
}

function mediaRanges(accept: string): MediaRange[] {
  return accept.split(',').map((one) => {
    const [range = '', ...parameters] = one.split(';')
    const [type = '', subtype = ''] = range.trim().toLowerCase().split('/')
    const excluded = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter))
    return { type, subtype, excluded }
  })
}

/** The most specific range decides, RFC 9110 section 12.5.1. */
function admits(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  const find = (t: string, s: string) => ranges.find((range) => range.type === t && range.subtype === s)
  const decisive = find(type, subtype) ?? find(type, '*') ?? find('*', '*')
  return decisive !== undefined && !decisive.excluded
}
