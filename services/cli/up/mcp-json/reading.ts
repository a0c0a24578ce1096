import type { Variables } from './expand.ts'
import type { Findings } from './findings.ts'

/** What reading a file goes along with. */
export interface Reading extends Variables {
  readonly findings: Findings
}
