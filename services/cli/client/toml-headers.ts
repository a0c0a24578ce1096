import { parse } from 'smol-toml'

/** A table of a TOML text, from its header to the end of its last key; what follows, blank lines and comments, is not of it. */
export interface TomlTable {
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
}

/** The tables that have a header, in order. The text has been parsed, so that nothing in it is malformed. */
export function tableHeaders(text: string): TomlTable[] {
  const tables: TomlTable[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    const first = skip(BLANKS, text, at)
    const end = lineEnd(text, first)
    if (text[first] === '[') {
      tables.push({ path: pathOf(text.slice(first, end)), start: at, end })
    } else if (first < text.length && !/[#\r\n]/.test(text[first] ?? '')) {
      const table = tables.pop()
      if (table !== undefined) tables.push({ ...table, end })
    }
    at = end
  }
  return tables
}

/** The place behind the end of the line that begins at `start`; what a value stretches over several lines is one line. */
function lineEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const sign = text[at] ?? ''
    if (sign === '\n' && depth === 0) return at + 1
    if (sign === '#') at = skip(COMMENT, text, at)
    else if (sign === '"' || sign === "'") at = skip(STRING, text, at)
    else {
      if (sign === '[' || sign === '{') depth++
      else if (sign === ']' || sign === '}') depth--
      at++
    }
  }
  return at
}

/** A header alone is a TOML text, of one table in another. */
function pathOf(header: string): string[] {
  const path: string[] = []
  let at: unknown = parse(header)
  for (;;) {
    const [entry] = Object.entries((Array.isArray(at) ? at[0] : at) as Record<string, unknown>)
    if (entry === undefined) return path
    path.push(entry[0])
    at = entry[1]
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at + 1
}

const BLANKS = /[ \t]*/y
const COMMENT = /[^\n]*/y
const STRING = /"""(?:[^\\"]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y
