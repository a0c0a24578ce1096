import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigurationError, readSourceFiles } from '@causeway/mesh-api'
import type { Text } from './fields.ts'
import type { Reading } from './reading.ts'

/** The variables of an `envFile`, each as if it stood where the file is named. */
export async function readEnvFile(
  { text: path, ...at }: Text,
  { folder, findings }: Reading,
): Promise<ReadonlyMap<string, Text>> {
  try {
    const [file] = await readSourceFiles([resolve(folder, path)])
    const variables = parseEnv(Buffer.from(file?.octets ?? []).toString('utf8'))
    return new Map(Object.entries(variables).map(([name, text = '']) => [name, { ...at, text }]))
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const [problem] = error.problems
    findings.error(at, `${problem?.file ?? path} ${problem?.message ?? 'cannot be read'}`)
    return new Map()
  }
}
