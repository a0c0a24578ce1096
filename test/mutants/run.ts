/**
 * `npm run mutants`: puts one fault at a time into the core and demands that a test citing the broken requirement
 * notices. `--only TEXT` runs the mutants whose name or file contains TEXT. Exit code 1 when one survives.
 */
import { availableParallelism } from 'node:os'
import { citations } from '../requirements/coverage.ts'
import { judge } from './judge.ts'
import { MUTANTS } from './table.ts'
import { Workbench } from './workbench.ts'

/** All citing tests of one file, on a machine that does other things too. */
const BASELINE_LIMIT_MS = 300_000

const at = process.argv.indexOf('--only')
const only = at < 0 ? '' : (process.argv[at + 1] ?? '')
const mutants = MUTANTS.filter((one) => one.name.includes(only) || one.file.includes(only))
const cited = citations()
const started = performance.now()
const benches = Array.from({ length: Math.min(availableParallelism(), 4) }, () => new Workbench())
let killed = 0
try {
  const broken = await baseline()
  for (const title of broken) console.error(`fails without any mutant: ${title}`)
  // A test that fails anyway notices nothing.
  const survivors = broken.length === 0 ? await judgeAll() : []
  for (const line of survivors) console.error(`survived: ${line}`)
} finally {
  for (const bench of benches) bench.remove()
}
console.log(`${killed} of ${mutants.length} mutants killed in ${((performance.now() - started) / 1000).toFixed(0)} s`)
process.exitCode = killed === mutants.length && mutants.length > 0 ? 0 : 1

/** Titles of tests that fail, and files that do not load, before anything was changed. */
async function baseline(): Promise<string[]> {
  const ids = [...new Set(mutants.map((mutant) => mutant.requirement))]
  const broken: string[] = []
  await share([...new Set(ids.flatMap((id) => cited.get(id) ?? []))], async (bench, file) => {
    const answer = await bench.run(file, ids, BASELINE_LIMIT_MS)
    if (answer === undefined) broken.push(`${file} (does not end)`)
    else if (answer.unloaded !== undefined) broken.push(`${file} (does not load: ${answer.unloaded})`)
    else broken.push(...answer.failed)
  })
  return broken
}

async function judgeAll(): Promise<string[]> {
  const survivors: string[] = []
  await share(mutants, async (bench, mutant) => {
    const label = `${mutant.name} (${mutant.file}, ${mutant.requirement})`
    const verdict = await judge(bench, mutant, cited.get(mutant.requirement) ?? [])
    if (verdict.killed) killed += 1
    else survivors.push(`${label}: ${verdict.because}`)
    console.log(`${verdict.killed ? 'killed  ' : 'SURVIVED'} ${label}: ${verdict.because}`)
  })
  return survivors
}

/** Each bench takes the next item as soon as it is free. */
async function share<T>(items: readonly T[], work: (bench: Workbench, item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  await Promise.all(
    benches.map(async (bench) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(bench, item)
    }),
  )
}
