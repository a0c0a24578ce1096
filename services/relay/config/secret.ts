import type { Secret } from '@causeway/rpc'
import type { FileReader } from './file-reader.ts'
import { ConfigProblem, invalid } from './problem.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** RFC 9110 section 5.5, ASCII only. */
const HEADER_VALUE = /^[!-~]([\t -~]*[!-~])?$/
const MAX_HEADER_VALUE = 8_192
const MAX_LINE_ENDS = 64

/**
 * The value of a header that a server gets, wherever it comes from; `at` is the header in its object. Throws ConfigProblem,
 * which names the file or variable, never what it holds.
 */
export async function headerValue(
  secret: Secret | undefined,
  at: string,
  reader: FileReader,
  environment: Environment,
): Promise<string> {
  switch (secret?.source.case) {
    case 'literal':
      return checked(secret.source.value, `${at}.value`, 'the value')
    case 'file': {
      const field = { path: `${at}.valueFile`, mounted: `${at}.valueFrom.secretRef` }
      const { octets, path, fieldPath } = await reader.read(
        secret.source.value,
        field,
        MAX_HEADER_VALUE + MAX_LINE_ENDS,
      )
      // Editors and `echo` end a file with a line end.
      return checked(octets.toString('utf8').replace(/[\r\n]+$/, ''), fieldPath, `what ${path} holds`)
    }
    case 'environmentVariable': {
      const name = secret.source.value
      const text = environment[name]
      const fieldPath = `${at}.valueFromEnv`
      if (text === undefined) {
        throw new ConfigProblem('FileUnusable', fieldPath, `the environment variable ${name} is not set`)
      }
      return checked(text, fieldPath, `the environment variable ${name}`)
    }
    default:
      throw invalid(at, 'the header has no value')
  }
}

function checked(value: string, fieldPath: string, what: string): string {
  if (value.length <= MAX_HEADER_VALUE && HEADER_VALUE.test(value)) return value
  throw new ConfigProblem(
    'FileUnusable',
    fieldPath,
    `${what} is no value of a header: 1 to ${MAX_HEADER_VALUE} characters of printable ASCII in one line, without a blank at either end`,
  )
}
