/**
 * `npm run mutants`: puts one fault at a time into the core and demands that a test citing the broken requirement
 * notices. `--only TEXT` runs the mutants whose name or file contains TEXT. Exit code 1 when one survives.
 */
import { availableParallelism } from 'node:os'
import { citations } from '../requirements/coverage.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './table.ts'
import { createWorkbench, mutate, runTests, type Workbench } from './workbench.ts'

const at = process.argv.indexOf('--only')
const only = at < 0 ? '' : (process.argv[at + 1] ?? '')
const cited = citations()
const queue = MUTANTS.filter((one) => one.name.includes(only) || one.file.includes(only))
const total = queue.length
const survivors: string[] = []
let killed = 0

await baseline()
await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4, total) }, work))
console.log(`${killed} of ${total} mutants killed`)
for (const line of survivors) console.error(`survived: ${line}`)
process.exitCode = killed === total && total > 0 ? 0 : 1

/** A test that fails without any mutant kills nothing. */
async function baseline(): Promise<void> {
  const bench = createWorkbench()
  const files = new Set(queue.flatMap((mutant) => cited.get(mutant.requirement) ?? []))
  const run = await runTests(bench, [...files])
  bench.remove()
  if (run.failed.length === 0) return
  console.error(`the tests fail without any mutant: ${run.failed[0]}`)
  process.exit(1)
}

async function work(): Promise<void> {
  const bench = createWorkbench()
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) await judge(bench, mutant)
  } finally {
    bench.remove()
  }
}

async function judge(bench: Workbench, mutant: Mutant): Promise<void> {
  const files = cited.get(mutant.requirement) ?? []
  const label = `${mutant.name} (${mutant.file}, ${mutant.requirement})`
  if (files.length === 0) {
    survivors.push(`${label}: no test cites ${mutant.requirement}`)
    return
  }
  let restore = () => {}
  try {
    restore = mutate(bench, mutant.file, mutant.find, mutant.replace)
    const run = await runTests(bench, files, mutant.requirement)
    if (run.failed.length > 0) {
      killed += 1
      console.log(`killed   ${label}: ${run.failed[0]}`)
    } else {
      survivors.push(`${label}: ${run.passed} citing tests still pass`)
    }
  } catch (error) {
    survivors.push(`${label}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    restore()
  }
}
