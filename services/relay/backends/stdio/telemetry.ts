import type { Counter, Gauge, Logger, Metrics } from '@causeway/telemetry'
import { LineLimit } from '../../pacing/line-limit.ts'
import { BackendTelemetry } from '../http/telemetry.ts'
import type { StdioBackendOptions } from './contract.ts'
import { describeEnd, type ProcessEnd } from './process-end.ts'

/** What a stdio backend counts and logs besides its exchanges and sessions. */
export class StdioTelemetry {
  /** Exchanges, sessions and notifications, as of any backend. */
  readonly calls: BackendTelemetry
  readonly logger: Logger
  readonly #metrics: Metrics
  readonly #backend: string
  readonly #processes: Gauge
  readonly #starts: Counter
  readonly #lineEnds: Counter
  readonly #rubbishLines: LineLimit
  #maxLineOctets: number

  constructor(
    options: Pick<StdioBackendOptions, 'name' | 'metrics' | 'logger' | 'clock' | 'onHealthChanged'>,
    { maxLineOctets }: { readonly maxLineOctets: number },
  ) {
    const { name, metrics, clock } = options
    this.calls = new BackendTelemetry(options)
    this.logger = options.logger.child({ backend: name })
    this.#metrics = metrics
    this.#maxLineOctets = maxLineOctets
    this.#backend = name.replace(/^backend\//, '')
    this.#processes = metrics.gauge('causeway_backend_processes', { backend: this.#backend })
    this.#starts = metrics.counter('causeway_backend_process_starts_total', { backend: this.#backend })
    this.#lineEnds = metrics.counter('causeway_line_ends_changed_total')
    this.#rubbishLines = new LineLimit(clock, (count) => {
      this.logger.warn({ lines: count }, 'more lines of standard output were no MCP; left out of this log')
    })
  }

  limitLines(maxLineOctets: number): void {
    this.#maxLineOctets = maxLineOctets
  }

  processStarted(pid: number): void {
    this.calls.reached(undefined)
    this.#processes.add(1)
    this.#starts.add()
    this.logger.info({ pid }, 'the process of a server was started')
  }

  processGone(): void {
    this.#processes.add(-1)
  }

  /** @param asked whether we wanted it to end. */
  processOver(end: ProcessEnd, pid: number | undefined, asked: boolean): void {
    const fields = { pid, end: describeEnd(end) }
    if (end.how === 'notStarted') this.calls.notReached(`the server's process ${fields.end}`)
    if (asked) {
      this.logger.info(fields, 'the process of a server has ended')
      return
    }
    this.#metrics.add('causeway_backend_process_deaths_total', 1, { backend: this.#backend, how: end.how })
    this.logger.warn(fields, 'the process of a server has ended by itself')
  }

  /** What a server wrote to its standard output is not passed on. */
  dropped(reason: StdioDropReason): void {
    this.#metrics.add('causeway_backend_messages_dropped_total', 1, { backend: this.#backend, reason })
  }

  /** The line itself is not logged: it may hold anything, and its writer took it for an answer. */
  rubbish(reason: 'not_json_rpc' | 'too_large', octets: number): void {
    this.dropped(reason)
    if (this.#rubbishLines.admit()) {
      const limit = `is longer than ${this.#maxLineOctets} octets (limits.maxReplyBytes of the relay)`
      const why = reason === 'too_large' ? limit : 'is no MCP'
      this.logger.warn({ octets }, `a line of standard output ${why}; skipped`)
    }
  }

  lineEndsChanged(count: number): void {
    this.#lineEnds.add(count)
  }

  serverRequestRefused(): void {
    this.calls.serverRequestAnswered()
  }
}

/** `unmatched_cancel`: of a request that is not open. `no_client`: nobody hears what belongs to no call. */
export type StdioDropReason =
  | 'unmatched_reply'
  | 'late_notification'
  | 'unmatched_cancel'
  | 'no_client'
  | 'batch'
  | 'not_json_rpc'
  | 'too_large'
  | 'queue_full'
