import type { Bench } from './row.ts'
import { recordPath } from './rows/record-path.ts'

export const BENCHES: readonly Bench[] = [recordPath]
