/** `npm run requirements`: what the tests prove, area by area. Exit code 1 on a fault. */
import { coverage } from './coverage.ts'

const { areas, faults } = coverage()

console.log('area         finished  cited  MUST  total  later')
for (const area of areas) {
  const cells = [area.cited, area.must, area.total, area.later.length].map((n) => String(n).padStart(5))
  console.log(`${area.area.padEnd(12)} ${(area.finished ? 'yes' : 'no').padEnd(8)} ${cells.join('  ')}`)
}
for (const area of areas.filter((one) => one.finished)) {
  if (area.uncitedMust.length > 0) console.log(`\n${area.area}: uncited MUST: ${area.uncitedMust.join(' ')}`)
  if (area.uncitedOther.length > 0) console.log(`${area.area}: uncited SHOULD or MAY: ${area.uncitedOther.join(' ')}`)
  if (area.later.length > 0) console.log(`${area.area}: left for later: ${area.later.join(' ')}`)
}
const open = areas.filter((one) => !one.finished)
if (open.length > 0) {
  console.log('\nnot finished:')
  for (const area of open)
    console.log(`${area.area}: uncited: ${[...area.uncitedMust, ...area.uncitedOther].join(' ')}`)
}
if (faults.length > 0) {
  console.error(`\n${faults.length} faults:`)
  for (const fault of faults) console.error(`- ${fault}`)
  process.exitCode = 1
}
