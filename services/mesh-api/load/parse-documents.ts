import { Composer, type Document, isScalar, Lexer, LineCounter, Parser } from 'yaml'
import { LexemeGuard } from './lexeme-guard.ts'
import { FILE_LIMITS } from './limits.ts'
import { Locator } from './locate.ts'
import type { Problem } from './problem.ts'
import type { SourceFile } from './source-file.ts'

/** One document of a file that has something in it and parses. */
interface ParsedDocument {
  readonly document: Document.Parsed
  readonly locator: Locator
}

/** Splits a file into YAML documents (1.2, core schema), telling `report` of what does not parse. Never throws. */
export function* parseDocuments(file: SourceFile, report: (problem: Problem) => void): Generator<ParsedDocument> {
  if (file.octets.length > FILE_LIMITS.octets) {
    return report(refusal(file, `is larger than ${FILE_LIMITS.octets} octets`))
  }
  const text = decodeUtf8(file.octets)
  if (text === undefined) return report(refusal(file, 'is not valid UTF-8'))

  const lines = new LineCounter()
  let count = 0
  for (const item of composeAll(text, lines)) {
    if ('reason' in item) {
      return report({ ...refusal(file, item.reason), ...place(lines, item.offset) })
    }
    const locator = new Locator(file.name, item, lines)
    if (++count > FILE_LIMITS.documents) {
      return report(locator.problem([], `there are more than ${FILE_LIMITS.documents} documents in this file`))
    }
    const faults = [...item.errors, ...item.warnings]
    for (const { pos, message } of faults) report(locator.problemAt(pos[0], yamlMessage(message)))
    if (faults.length === 0 && !isEmpty(item)) yield { document: item, locator }
  }
}

/** Nothing, or comments, between two `---`. */
function isEmpty({ contents }: Document.Parsed): boolean {
  return contents === null || (isScalar(contents) && contents.value === null)
}

/** Why reading stopped, and after how many characters. */
interface Stop {
  readonly reason: string
  readonly offset: number
}

/** Documents one after the other, so that a limit stops the work too. */
function* composeAll(text: string, lines: LineCounter): Generator<Document.Parsed | Stop> {
  const guard = new LexemeGuard()
  const parser = new Parser(lines.addNewLine)
  const composer = new Composer(COMPOSER_OPTIONS)
  lines.addNewLine(0)
  try {
    for (const lexeme of new Lexer().lex(text)) {
      const reason = guard.refuse(lexeme)
      if (reason !== undefined) {
        yield { reason, offset: guard.offset }
        return
      }
      for (const token of parser.next(lexeme)) yield* composer.next(token) as Generator<Document.Parsed>
    }
    for (const token of parser.end()) yield* composer.next(token) as Generator<Document.Parsed>
    yield* composer.end() as Generator<Document.Parsed>
  } catch (error) {
    // Nesting by indentation is bounded by the file's size only; enough of it exhausts the stack of the parser.
    if (!(error instanceof RangeError)) throw error
    yield { reason: TOO_DEEP, offset: guard.offset }
  }
}

const COMPOSER_OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Ours is linear; the library's compares every key of a map with every other.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

const TOO_DEEP = `maps and lists are nested more than ${FILE_LIMITS.depth} deep`

/**
 * The library's sentence without what follows a colon, which is text of the file. It catches some exhaustions of the
 * stack itself and passes on the engine's words.
 */
function yamlMessage(message: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP
  const sentence = message.split(/[:\n]/, 1)[0] ?? ''
  return `YAML: ${sentence.replace(/[^\x20-\x7e]/g, '?')}`
}

function decodeUtf8(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch {
    return undefined
  }
}

function refusal(file: SourceFile, message: string): Problem {
  return { file: file.name, line: 0, column: 0, fieldPath: '', message }
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
