/**
 * `npm run bench`: ratios inside one run, rounds interleaved, each with its 95 % interval. `--only TEXT` picks benches
 * by name, `--json` prints for machines, `--rounds N` (7). A bar is missed only when the whole interval lies beyond it.
 * Exit code 1 when one is.
 */
import { readOptions, refuseOptions } from '../tools/options.ts'
import { BENCHES } from './benches.ts'
import { barText, missed, type Row } from './row.ts'

const USAGE = 'npm run bench [-- [--only TEXT] [--rounds N] [--json]]'
const values = readOptions(
  {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
  },
  USAGE,
)
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
  refuseOptions('--rounds: a whole number from 1 to 100', USAGE)
const picked = BENCHES.filter((bench) => bench.name.includes(values.only))
if (picked.length === 0) {
  const names = BENCHES.map((bench) => bench.name).join(', ')
  refuseOptions(`no bench is named like ${values.only}; there are: ${names}`, USAGE)
}

const rows: Row[] = []
for (const bench of picked) {
  console.error(`${bench.name}: ${bench.about}`)
  const found = await bench.run({ rounds, note: (text) => console.error(`  ${text}`) })
  rows.push(...found)
  if (!values.json) for (const row of found) printRow(row)
}
if (values.json)
  console.log(
    JSON.stringify(
      rows.map((row) => ({ ...row, missed: missed(row) })),
      null,
      2,
    ),
  )
process.exitCode = rows.some(missed) ? 1 : 0

function printRow(row: Row): void {
  const { value, low, high } = row.figure
  const figures = `${show(value)} [${show(low)}, ${show(high)}] ${row.unit}`
  console.log(
    `${missed(row) ? 'MISSED' : 'ok    '} ${row.name.padEnd(58)} ${figures.padEnd(32)} bar ${barText(row.bar)}`,
  )
  for (const [name, figure] of Object.entries(row.absolute)) console.log(`         ${name}: ${show(figure)}`)
}

function show(figure: number): string {
  return figure.toLocaleString('en', { maximumSignificantDigits: 4, useGrouping: false })
}
