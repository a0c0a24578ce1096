import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'
import type { SessionTable } from '../../sessions/session-table.ts'
import type { EdgeLimits } from './contract.ts'
import type { EdgeMetrics } from './edge-metrics.ts'
import type { Exchange } from './exchange.ts'
import type { RequestIds } from './request-id.ts'

/** What all exchanges of one edge share. */
export interface EdgeContext {
  readonly clock: Clock
  readonly limits: EdgeLimits
  readonly sessions: SessionTable
  readonly requestIds: RequestIds
  readonly metrics: EdgeMetrics
  readonly logger: Logger
  /** Every exchange whose target still owes its end. */
  readonly open: Set<Exchange>
  /** From `stop` on: nothing new is taken, and connections end with their answers. */
  stopping: boolean
}
