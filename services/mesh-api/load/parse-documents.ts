import { Composer, type Document, LineCounter, Parser } from 'yaml'
import { FILE_LIMITS } from './limits.ts'
import type { SourceFile } from './load.ts'
import { Locator } from './locate.ts'
import type { Problem } from './problem.ts'

/** One document of a file that has something in it and parses. */
export interface ParsedDocument {
  readonly document: Document.Parsed
  readonly locator: Locator
}

export interface ParsedFile {
  readonly documents: readonly ParsedDocument[]
  readonly problems: readonly Problem[]
}

/** Splits a file into YAML documents (1.2, core schema). Never throws. */
export function parseDocuments(file: SourceFile): ParsedFile {
  if (file.octets.length > FILE_LIMITS.octets) {
    return refused(file, `is larger than ${FILE_LIMITS.octets} octets`)
  }
  const text = decodeUtf8(file.octets)
  if (text === undefined) return refused(file, 'is not valid UTF-8')

  const lines = new LineCounter()
  const documents: ParsedDocument[] = []
  const problems: Problem[] = []
  try {
    for (const document of composeAll(text, lines)) {
      const locator = new Locator(file.name, document, lines)
      if (documents.length + 1 > FILE_LIMITS.documents) {
        problems.push(locator.problem([], `there are more than ${FILE_LIMITS.documents} documents in this file`))
        break
      }
      for (const error of [...document.errors, ...document.warnings].slice(0, FILE_LIMITS.problems)) {
        problems.push(locator.problemAt(error.pos[0], `YAML: ${firstLine(error.message)}`))
      }
      const failed = document.errors.length + document.warnings.length > 0
      if (!failed && document.contents !== null) documents.push({ document, locator })
    }
  } catch (error) {
    // The parser recurses over nesting, so what is nested deeply enough exhausts its stack.
    if (!(error instanceof Error)) throw error
    problems.push({
      file: file.name,
      line: 0,
      column: 0,
      fieldPath: '',
      message: 'YAML: cannot be parsed; nested too deeply',
    })
  }
  return { documents, problems }
}

/** Documents one after the other, so that a limit on their number stops the work too. */
function* composeAll(text: string, lines: LineCounter): Generator<Document.Parsed> {
  const parser = new Parser(lines.addNewLine)
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    // Ours is linear; the library's compares every key of a map with every other.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  for (const token of parser.parse(text)) yield* composer.next(token) as Generator<Document.Parsed>
  yield* composer.end() as Generator<Document.Parsed>
}

function decodeUtf8(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch {
    return undefined
  }
}

function refused(file: SourceFile, message: string): ParsedFile {
  return { documents: [], problems: [{ file: file.name, line: 0, column: 0, fieldPath: '', message }] }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}
