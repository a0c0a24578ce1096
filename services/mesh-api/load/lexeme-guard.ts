import { CST } from 'yaml'
import { FILE_LIMITS } from './limits.ts'

/**
 * Watches the lexical tokens of a file and stops before the parser, which recurses and allocates for each, meets nesting
 * or sizes beyond the limits.
 */
export class LexemeGuard {
  /** Characters before the next token. */
  offset = 0
  #inDocument = 0
  #flowDepth = 0
  #compactDepth = 0
  #scalarFollows = false

  /** Why the file must not be read on, or undefined. */
  refuse(lexeme: string): string | undefined {
    const reason = this.#judge(lexeme)
    if (reason === undefined && !isMarker(lexeme)) this.offset += lexeme.length
    return reason
  }

  #judge(lexeme: string): string | undefined {
    if (++this.#inDocument > FILE_LIMITS.tokens) return `a document has more than ${FILE_LIMITS.tokens} YAML tokens`
    if (this.#scalarFollows) {
      this.#scalarFollows = false
      return undefined
    }
    switch (CST.tokenType(lexeme)) {
      case 'scalar':
        this.#scalarFollows = true
        break
      case 'doc-mode':
      case 'doc-start':
      case 'doc-end':
        this.#inDocument = 0
        this.#flowDepth = 0
        break
      case 'newline':
        this.#compactDepth = 0
        break
      case 'flow-map-start':
      case 'flow-seq-start':
        this.#flowDepth++
        break
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#flowDepth--
        break
      // `- - - x` nests on one line.
      case 'seq-item-ind':
      case 'explicit-key-ind':
        this.#compactDepth++
        break
    }
    const deep = this.#flowDepth > FILE_LIMITS.depth || this.#compactDepth > FILE_LIMITS.depth
    return deep ? `maps and lists are nested more than ${FILE_LIMITS.depth} deep` : undefined
  }
}

/** The lexer's own signs, which stand for no text. */
function isMarker(lexeme: string): boolean {
  return lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END || lexeme === CST.SCALAR
}
