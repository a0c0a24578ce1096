import { HEADER_VALUE, MAX_HEADER_VALUE, type MeshBackend } from '@causeway/mesh-api'
import { RelayStartError } from '../contract.ts'
import { readSecretFile } from './read-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Header = MeshBackend['spec']['mcp']['headers'][number]

/**
 * The values of the headers that a backend's server gets, wherever they come from. Throws RelayStartError SECRET, which
 * names the file or variable, never what it holds.
 */
export async function readHeaders(
  headers: readonly Header[],
  fieldPath: string,
  environment: Environment,
): Promise<ReadonlyMap<string, string>> {
  const entries = headers.map(
    async (header, index): Promise<[string, string]> => [
      header.name,
      await readValue(header, `${fieldPath}[${index}]`, environment),
    ],
  )
  return new Map(await Promise.all(entries))
}

async function readValue(header: Header, fieldPath: string, environment: Environment): Promise<string> {
  const { value, valueFile, valueFromEnv } = header
  if (valueFile !== undefined) {
    const at = `${fieldPath}.valueFile`
    const text = await readSecretFile(valueFile, at, MAX_HEADER_VALUE + MAX_LINE_ENDS)
    // Editors and `echo` end a file with a line end.
    return checked(text.replace(/[\r\n]+$/, ''), at, `what ${valueFile} holds`)
  }
  if (valueFromEnv !== undefined) {
    const at = `${fieldPath}.valueFromEnv`
    const text = environment[valueFromEnv]
    if (text === undefined)
      throw new RelayStartError('SECRET', at, `the environment variable ${valueFromEnv} is not set`)
    return checked(text, at, `the environment variable ${valueFromEnv}`)
  }
  return value ?? ''
}

const MAX_LINE_ENDS = 64

function checked(value: string, fieldPath: string, what: string): string {
  if (value.length <= MAX_HEADER_VALUE && HEADER_VALUE.test(value)) return value
  throw new RelayStartError(
    'SECRET',
    fieldPath,
    `${what} is no value of a header: 1 to ${MAX_HEADER_VALUE} characters of printable ASCII in one line, without a blank at either end`,
  )
}
