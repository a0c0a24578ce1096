/**
 * A JSON text as it stands in a file: values with their places. Comments and commas behind the last entry are skipped, as
 * in the files of editors.
 */
export type JsonNode = JsonObject | JsonArray | JsonScalar

interface Placed {
  /** Characters before its first one. */
  readonly start: number
  /** Characters before the first one behind it. */
  readonly end: number
}

export interface JsonObject extends Placed {
  readonly kind: 'object'
  /** In the order of the file; no name twice. */
  readonly members: readonly JsonMember[]
}

export interface JsonMember {
  readonly name: string
  readonly nameStart: number
  readonly value: JsonNode
}

interface JsonArray extends Placed {
  readonly kind: 'array'
  readonly elements: readonly JsonNode[]
}

interface JsonScalar extends Placed {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
}

/** What is wrong with a text, and where. */
export class JsonSyntaxError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.offset = offset
  }
}

/** 1-based; a column counts characters. */
export interface Place {
  readonly line: number
  readonly column: number
}

export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
