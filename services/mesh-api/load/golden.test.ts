import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadResources } from './load.ts'
import { ConfigurationError, formatProblem } from './problem.ts'

const FOLDER = join(import.meta.dirname, 'golden')
const cases = readdirSync(FOLDER).filter((name) => name.endsWith('.in.yaml'))

/** What a person sees for a wrong file: `golden/*.out.txt` for every `golden/*.in.yaml`. */
describe('the problems of a file, all at once', () => {
  it.each(cases)('%s', async (name) => {
    const lines = problemLines(name)
    expect(lines.join('\n'), 'a value that could be a secret').not.toContain('hunter2')
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(FOLDER, name.replace('.in.yaml', '.out.txt')))
  })
})

function problemLines(name: string): string[] {
  try {
    loadResources([{ name, octets: readFileSync(join(FOLDER, name)) }])
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.problems.map(formatProblem)
  }
}
