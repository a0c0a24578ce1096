/**
 * `npm run mutants`: puts one fault at a time into the core and demands that a test citing the broken requirement
 * notices. `--only TEXT` runs the mutants whose name or file contains TEXT. Exit code 1 when one survives.
 */
import { availableParallelism } from 'node:os'
import { citations } from '../requirements/coverage.ts'
import { readOptions } from '../tools/options.ts'
import { judge } from './judge.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './table.ts'
import { Workbench } from './workbench.ts'

/** Many tests of one file, on a machine that does other things too. */
const CONTROL_LIMIT_MS = 300_000

interface Kill {
  readonly mutant: Mutant
  /** Test file. */
  readonly by: string
}

const { only } = readOptions({ only: { type: 'string', default: '' } }, 'npm run mutants [-- --only TEXT]')
const mutants = MUTANTS.filter((one) => one.name.includes(only) || one.file.includes(only))
const started = performance.now()
const benches = Array.from({ length: Math.min(availableParallelism(), 4) }, () => new Workbench())
const survivors: string[] = []
try {
  await control(await judgeAll())
} finally {
  for (const bench of benches) bench.remove()
}
for (const line of survivors) console.error(`survived: ${line}`)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(`${mutants.length - survivors.length} of ${mutants.length} mutants killed in ${seconds} s`)
process.exitCode = survivors.length === 0 && mutants.length > 0 ? 0 : 1

async function judgeAll(): Promise<Kill[]> {
  const cited = citations()
  const kills: Kill[] = []
  await share(mutants, async (bench, mutant) => {
    const { because, killedBy } = await judge(bench, mutant, cited.get(mutant.requirement) ?? [])
    if (killedBy === undefined) {
      survivors.push(`${nameOf(mutant)}: ${because}`)
    } else {
      kills.push({ mutant, by: killedBy })
      console.log(`killed ${nameOf(mutant)}: ${because}`)
    }
  })
  return kills
}

/** What killed must pass without any mutant: a test that fails anyway has noticed nothing. */
async function control(kills: readonly Kill[]): Promise<void> {
  await share([...new Set(kills.map((kill) => kill.by))], async (bench, file) => {
    const mine = kills.filter((kill) => kill.by === file).map((kill) => kill.mutant)
    const ids = [...new Set(mine.map((mutant) => mutant.requirement))]
    const answer = await bench.run(file, ids, CONTROL_LIMIT_MS)
    const fault = answer === undefined ? 'it does not end, or ends its runner' : (answer.unloaded ?? answer.failed[0])
    if (fault !== undefined)
      for (const mutant of mine) survivors.push(`${nameOf(mutant)}: ${file} fails without it: ${fault}`)
  })
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

function nameOf(mutant: Mutant): string {
  return `${mutant.name} (${mutant.file}, ${mutant.requirement})`
}
