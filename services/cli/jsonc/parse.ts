import { type JsonMember, type JsonNode, JsonSyntaxError } from './node.ts'

/** Configuration files need 6. */
const MAX_DEPTH = 64

/** Throws JsonSyntaxError, which repeats nothing of the text but single signs. */
export function parseJson(text: string): JsonNode {
  const reader = new Reader(text)
  const node = reader.value(0)
  reader.blanks()
  if (reader.next() !== undefined) throw reader.unexpected('nothing more')
  return node
}

class Reader {
  readonly #text: string
  /** A byte order mark is no part of the text. */
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  next(): string | undefined {
    return this.#text[this.#at]
  }

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new JsonSyntaxError(this.#at, `is nested more than ${MAX_DEPTH} deep`)
    this.blanks()
    switch (this.next()) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case '"': {
        const start = this.#at
        return { kind: 'scalar', value: this.#string(), start, end: this.#at }
      }
      default:
        return this.#word()
    }
  }

  /** Blanks and comments. */
  blanks(): void {
    for (;;) {
      BLANKS.lastIndex = this.#at
      this.#at += BLANKS.exec(this.#text)?.[0].length ?? 0
      if (!this.#text.startsWith('/*', this.#at)) return
      const end = this.#text.indexOf('*/', this.#at + 2)
      if (end < 0) throw new JsonSyntaxError(this.#at, 'this comment has no end')
      this.#at = end + 2
    }
  }

  unexpected(wanted: string): JsonSyntaxError {
    const found = this.next()
    const what = found === undefined ? 'the end of the file' : describe(found)
    return new JsonSyntaxError(this.#at, `expected ${wanted}, found ${what}`)
  }

  #object(depth: number): JsonNode {
    const start = this.#at++
    const members: JsonMember[] = []
    const names = new Set<string>()
    for (;;) {
      this.blanks()
      if (this.#take('}')) return { kind: 'object', members, start, end: this.#at }
      if (this.next() !== '"')
        throw this.unexpected(members.length === 0 ? 'a name in "quotes" or }' : 'a name in "quotes"')
      const nameStart = this.#at
      const name = this.#string()
      if (names.has(name)) throw new JsonSyntaxError(nameStart, 'this name stands here twice')
      names.add(name)
      this.blanks()
      if (!this.#take(':')) throw this.unexpected(': behind the name')
      members.push({ name, nameStart, value: this.value(depth + 1) })
      this.#separator('}')
    }
  }

  #array(depth: number): JsonNode {
    const start = this.#at++
    const elements: JsonNode[] = []
    for (;;) {
      this.blanks()
      if (this.#take(']')) return { kind: 'array', elements, start, end: this.#at }
      elements.push(this.value(depth + 1))
      this.#separator(']')
    }
  }

  /** A comma, or the end is next. */
  #separator(end: '}' | ']'): void {
    this.blanks()
    if (this.#take(',') || this.next() === end) return
    throw this.unexpected(`, or ${end}`)
  }

  #take(sign: string): boolean {
    if (this.next() !== sign) return false
    this.#at++
    return true
  }

  #string(): string {
    STRING.lastIndex = this.#at
    const found = STRING.exec(this.#text)?.[0]
    if (found === undefined) throw this.#badString()
    this.#at += found.length
    return JSON.parse(found) as string
  }

  #badString(): JsonSyntaxError {
    let at = this.#at + 1
    for (; at < this.#text.length; at++) {
      const sign = this.#text[at] ?? ''
      if (sign < ' ') return new JsonSyntaxError(at, 'a string ends with " on the line where it begins')
      if (sign !== '\\') continue
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(this.#text)) {
        return new JsonSyntaxError(at, 'no escape of JSON; a backslash itself is written \\\\')
      }
      at++
    }
    return new JsonSyntaxError(this.#at, 'this string has no end')
  }

  #word(): JsonNode {
    WORD.lastIndex = this.#at
    const start = this.#at
    const found = WORD.exec(this.#text)?.[0]
    if (found === undefined) throw this.unexpected('a value')
    this.#at += found.length
    return { kind: 'scalar', value: JSON.parse(found) as number | boolean | null, start, end: this.#at }
  }
}

const BLANKS = /(?:[ \t\r\n]+|\/\/[^\r\n]*)*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 section 7 forbids exactly these.
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y
const WORD = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?![-+.\w])/y

function describe(sign: string): string {
  return /[!-~]/.test(sign) ? sign : `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
