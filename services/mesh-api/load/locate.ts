import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import { type FieldPath, formatFieldPath } from './field-path.ts'
import type { Problem } from './problem.ts'

/** Finds fields of one document in its file. */
export class Locator {
  readonly #file: string
  readonly #document: Document.Parsed
  readonly #lines: LineCounter
  /** Where the object stands in the document: paths of fields begin there. */
  readonly #base: FieldPath
  /** Set once they are known, for every later problem. */
  kind: string | undefined
  name: string | undefined

  constructor(file: string, document: Document.Parsed, lines: LineCounter, base: FieldPath = []) {
    this.#file = file
    this.#document = document
    this.#lines = lines
    this.#base = base
  }

  /** For one of several objects of the document. */
  within(base: FieldPath): Locator {
    return new Locator(this.#file, this.#document, this.#lines, base)
  }

  /** A problem at the field, or at the deepest part of its path that is there. */
  problem(path: FieldPath, message: string): Problem {
    return this.problemAt(this.#offsetOf(path), message, path)
  }

  problemAt(offset: number, message: string, path: FieldPath = []): Problem {
    const { line, col } = this.#lines.linePos(offset)
    return {
      file: this.#file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      ...(this.kind === undefined ? {} : { kind: this.kind }),
      ...(this.name === undefined ? {} : { name: this.name }),
      fieldPath: formatFieldPath(path),
      message,
    }
  }

  /** `file:line:column` of the document's name. */
  place(): string {
    const { line, col } = this.#lines.linePos(this.#offsetOf(['metadata', 'name']))
    return `${this.#file}:${line}:${col}`
  }

  #offsetOf(path: FieldPath): number {
    let node: unknown = this.#document.contents
    let offset = startOf(node) ?? this.#document.range?.[0] ?? 0
    for (const step of [...this.#base, ...path]) {
      if (isMap(node)) {
        const pair: Pair | undefined = node.items.find((item) => keyOf(item) === step)
        if (pair === undefined) break
        node = pair.value
        // A value is best shown by itself, a map or list by its key: it begins on a line of its own.
        offset = (isScalar(node) && node.source !== '' ? startOf(node) : startOf(pair.key)) ?? offset
      } else if (isSeq(node) && typeof step === 'number') {
        node = node.items[step]
        offset = startOf(node) ?? offset
      } else break
    }
    return offset
  }
}

/** The word that a pair's key is, if it is one. */
export function keyOf(pair: Pair): string | undefined {
  const key = pair.key
  return isScalar(key) && typeof key.value === 'string' ? key.value : undefined
}

export function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined
}
