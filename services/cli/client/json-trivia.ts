/** Blanks and comments between the tokens of a JSON text that has been parsed. */

/** The first place from `at` on where neither a blank nor a comment stands. */
export function skipTrivia(text: string, at: number): number {
  TRIVIA.lastIndex = at
  TRIVIA.test(text)
  return TRIVIA.lastIndex
}

/** Whether a run of blanks and comments would swallow what is written behind it. */
export function endsInLineComment(trivia: string): boolean {
  return trivia.match(PIECES)?.at(-1)?.startsWith('//') === true
}

/** Where a comment ends that follows `at` on its line; `at` itself where none does. */
export function lineRest(text: string, at: number): { readonly end: number; readonly isLineComment: boolean } {
  REST.lastIndex = at
  const found = REST.exec(text)
  if (found === null) return { end: at, isLineComment: false }
  return { end: REST.lastIndex, isLineComment: found[1] !== undefined }
}

const TRIVIA = /(?:\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y
const REST = /[ \t]*(?:(\/\/[^\r\n]*)|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)/y
const PIECES = /\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g
