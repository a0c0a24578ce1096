import type { ServerResponse } from 'node:http'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'
import type { ToolFacts } from '../../exchanges/tool-facts.ts'
import type { RouteTable } from '../../router/route-table.ts'
import type { SessionTable } from '../../sessions/session-table.ts'
import type { BodyBudget } from './body-budget.ts'
import type { EdgeLimits } from './contract.ts'
import type { EdgeMetrics } from './edge-metrics.ts'
import type { RequestIds } from './request-id.ts'

/** What all exchanges of one edge share. */
export interface EdgeContext {
  readonly clock: Clock
  limits: EdgeLimits
  /** Swapped whole: what is open keeps the route that it began with. */
  routes: RouteTable
  /** Nothing is served but what is read_only. */
  readOnly: boolean
  readonly sessions: SessionTable
  readonly bodies: BodyBudget
  readonly requestIds: RequestIds
  readonly facts: ToolFacts
  readonly metrics: EdgeMetrics
  readonly logger: Logger
  /** Every exchange whose target still owes its end. */
  readonly open: Set<OpenExchange>
  /** Every response to a GET that has not ended. */
  readonly openedStreams: Set<OpenedStream>
  /** From `stop` on: nothing new is taken, and connections end with their answers. */
  stopping: boolean
}

/** An exchange, as far as the end of its edge is concerned. */
export interface OpenExchange {
  readonly method: string
  readonly response: ServerResponse
  /** Whether the client still waits for its answer. */
  readonly awaited: boolean
  /** Gives whoever still waits an error, and tells the target to stop. */
  stop(): void
}

/** A response to a GET, as far as the end of its edge is concerned. */
interface OpenedStream {
  readonly response: ServerResponse
  /** It shows the answer to a call, and ends with it. */
  readonly belongsToCall: boolean
  hangUp(): void
}
