/**
 * `npm run fuzz`: arbitrary and damaged octets against every decoder. `--time SECONDS` altogether (30), `--only TEXT`,
 * `--seed N` to repeat a finding. Exit code 1 when a decoder throws anything but its own errors or breaks an invariant.
 */
import { readOptions, refuseOptions } from '../tools/options.ts'
import { fuzz } from './fuzz.ts'
import { TARGETS } from './targets.ts'

const USAGE = 'npm run fuzz [-- [--time SECONDS] [--only TEXT] [--seed N]]'
const values = readOptions(
  { time: { type: 'string', default: '30' }, only: { type: 'string', default: '' }, seed: { type: 'string' } },
  USAGE,
)
const seconds = Number(values.time)
const seed = values.seed === undefined ? undefined : Number(values.seed)
const targets = TARGETS.filter((target) => target.name.includes(values.only))
if (!(seconds > 0)) refuseOptions('--time: seconds, more than 0', USAGE)
if (Number.isNaN(seed)) refuseOptions('--seed: a number', USAGE)
if (targets.length === 0) refuseOptions(`targets: ${TARGETS.map((target) => target.name).join(', ')}`, USAGE)

let failed = false
for (const target of targets) {
  const timeMs = (seconds * 1_000) / targets.length
  const { runs, failure } = fuzz(target, { runs: 2_000_000_000, timeMs, ...(seed === undefined ? {} : { seed }) })
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${target.name.padEnd(32)} ${runs} inputs`)
  if (failure !== undefined) {
    failed = true
    console.log(`  input ${Buffer.from(failure.octets).toString('hex')}\n  seed ${failure.seed}`)
    console.log(failure.error)
  }
}
process.exitCode = failed ? 1 : 0
