import { dirname } from 'node:path'
import type { Mutant } from './mutant.ts'
import type { Workbench } from './workbench.ts'

/** A sound test file needs a few seconds; a fault that makes one loop for ever must not hold up the rest. */
const FILE_LIMIT_MS = 60_000

export interface Verdict {
  /** Title of the test that noticed, or why none did. */
  readonly because: string
  /** File of the test that noticed; undefined: the mutant survived. */
  readonly killedBy: string | undefined
}

/**
 * Whether a test that cites the broken requirement fails. Neither a fault that keeps code from loading nor one that keeps
 * a test from ending counts: such a mutant says nothing about the tests and must be written otherwise.
 *
 * @param citing test files that cite `mutant.requirement`.
 */
export async function judge(bench: Workbench, mutant: Mutant, citing: readonly string[]): Promise<Verdict> {
  let passed = 0
  let restore = (): void => {}
  try {
    restore = bench.mutate(mutant.file, mutant.find, mutant.replace)
    for (const file of nearestFirst(citing, mutant.file)) {
      const answer = await bench.run(file, [mutant.requirement], FILE_LIMIT_MS)
      if (answer === undefined) return survived(`the tests of ${file} do not end, or end their runner`)
      if (answer.unloaded !== undefined) return survived(`${file} does not load: ${answer.unloaded}`)
      const noticed = answer.failed.find((title) => title.includes(`[${mutant.requirement}]`))
      if (noticed !== undefined) return { because: noticed, killedBy: file }
      passed += answer.passed
    }
    return survived(`${passed} citing tests still pass`)
  } catch (error) {
    return survived(error instanceof Error ? error.message : String(error))
  } finally {
    restore()
  }
}

function survived(because: string): Verdict {
  return { because, killedBy: undefined }
}

/** Tests beside the code are quick, and most likely to notice; then those whose time is virtual. */
function nearestFirst(files: readonly string[], mutated: string): string[] {
  const room = mutated.split('/').slice(0, 2).join('/')
  const distance = (file: string): number => {
    if (file.startsWith(room)) return dirname(file) === dirname(mutated) ? 0 : 1
    return file.startsWith('test/sim/') ? 2 : 3
  }
  return [...files].sort((a, b) => distance(a) - distance(b))
}
