import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, formatProblem } from '@causeway/mesh-api'
import { describe, expect, it } from 'vitest'
import { readServers } from './read-servers.ts'
import { toResources } from './resources.ts'

const FOLDER = join(import.meta.dirname, 'golden')
const cases = readdirSync(FOLDER).filter((name) => name.endsWith('.in.json'))

/** What a person sees for a wrong file: `golden/*.out.txt` for every `golden/*.in.json`. */
describe('the problems and warnings of a file', () => {
  it.each(cases)('%s', async (name) => {
    const lines = (await findingsOf(name)).join('\n').replaceAll(FOLDER, 'FOLDER')
    expect(lines, 'a value that could be a secret').not.toContain('hunter2')
    await expect(`${lines}\n`).toMatchFileSnapshot(join(FOLDER, name.replace('.in.json', '.out.txt')))
  })
})

async function findingsOf(name: string): Promise<string[]> {
  const lines: string[] = []
  const file = { name, folder: FOLDER, octets: readFileSync(join(FOLDER, name)) }
  try {
    const { servers, findings } = await readServers(file, { PATH: join(process.execPath, '..') }, (warning) =>
      lines.push(`warning: ${formatProblem(warning)}`),
    )
    toResources(servers, 7007, FOLDER, findings)
    return [...lines, 'accepted']
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return [...lines, ...error.problems.map(formatProblem)]
  }
}
