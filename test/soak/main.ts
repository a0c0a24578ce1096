/**
 * `npm run soak -- [--minutes N] [--rate N] [--leak]`: mixed MCP traffic of both eras through two relays, with sessions
 * opening and closing, and what it leaves behind. The first third is warm-up. Exit code 1 when memory grows by more than
 * 1 % in 10 minutes (upper end of the 95 % interval), a call failed, or anything is still open afterwards.
 */
import { readOptions } from '../tools/options.ts'
import { faultsOf } from './judge.ts'
import { soak } from './soak.ts'

const values = readOptions(
  {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    leak: { type: 'boolean', default: false },
  },
  'npm run soak [-- [--minutes N] [--rate N] [--leak]]',
)
const seconds = Number(values.minutes) * 60
const result = await soak({
  perSecond: Number(values.rate),
  seconds,
  warmUpSeconds: seconds / 3,
  everySeconds: Math.max(2, seconds / 120),
  plantLeak: values.leak,
  note: (text) => console.log(text),
})
console.log(JSON.stringify(result, null, 2))
const faults = faultsOf(result, { percentPerTenMinutes: 1 })
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
