import type { Edit } from './edits.ts'

/** A client's file, read and ready to be edited in place. */
export interface Document {
  /** What the file says of every server, by name. */
  readonly entries: ReadonlyMap<string, unknown>
  /** Whether there is a container for entries, be it empty. */
  readonly hasContainer: boolean
  /** Whether nothing is in it at all: no member, no comment. */
  readonly isBare: boolean
  /** The edits that add an entry, which must not be there. */
  insert(name: string, entry: object): Edit[]
  /** The edits that put another entry in an entry's place. */
  replace(name: string, entry: object): Edit[]
  /** What `insert` writes between the text and an entry; to be given back to `remove`. */
  readonly gap: string
  /** The edits that take an entry out, and with `andContainer` the container that is empty then. */
  remove(name: string, andContainer: boolean, gap: string): Edit[]
}

/** A file that is no such document, and where it stops being one. */
export class DocumentError extends Error {
  readonly line: number
  readonly column: number

  /** Both are 1-based. */
  constructor(line: number, column: number, message: string) {
    super(message)
    this.name = 'DocumentError'
    this.line = line
    this.column = column
  }
}

/** How a text is laid out, for what is added to it. */
export interface Layout {
  readonly lineEnd: string
  readonly indent: string
}

export function layoutOf(text: string): Layout {
  const lineEnd = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  const indent = /^[\uFEFF\s]*[[{][^\S\r\n]*(?:\/\/[^\r\n]*)?\r?\n(?:[^\S\r\n]*\r?\n)*([ \t]+)/.exec(text)?.[1] ?? '  '
  return { lineEnd, indent }
}
