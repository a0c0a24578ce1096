import type { Clock } from '@causeway/kube'
import type { StatusChannel, StatusStream } from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { InstanceTable } from '../instance-table.ts'
import { PendingReports } from './pending-reports.ts'

export interface ForwarderOptions {
  readonly instances: InstanceTable
  /** Leads to the leader at `host:port`. */
  readonly channelTo: (address: string) => StatusChannel
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
}

/** What happens within this time is said together; also the first pause after a stream has ended, and the longest. */
const SETTLE_MS = 250
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
/** A leader that changes is no news; one that cannot be reached is. */
const FAILURES_TO_TELL = 3

/**
 * Says to the leader what the instances of this replica say (CONTROL section 4): everything first, then what changes, one
 * message at a time. Streams that end are opened anew while there is a leader.
 */
export class StatusForwarder {
  readonly #options: ForwarderOptions
  readonly #pending: PendingReports
  #leader: string | undefined
  #aborted = new AbortController()
  #stream: StatusStream | undefined
  #isAwaiting = false
  #pauseMs = MIN_PAUSE_MS
  /** Streams in a row of which nothing came. */
  #failures = 0
  #timer: unknown
  #isClosed = false

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#pending = new PendingReports(() => this.#schedule())
  }

  /** `host:port` of who leads now; undefined: nobody, or this process itself. */
  follow(leader: string | undefined): void {
    if (this.#isClosed || leader === this.#leader) return
    this.#leader = leader
    this.#aborted.abort()
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#stream = undefined
    this.#pauseMs = MIN_PAUSE_MS
    this.#failures = 0
    if (leader !== undefined) this.#open(leader)
  }

  close(): void {
    this.follow(undefined)
    this.#isClosed = true
  }

  #open(leader: string): void {
    const aborted = new AbortController()
    this.#aborted = aborted
    const stream = this.#options.channelTo(leader).open(aborted.signal)
    this.#stream = stream
    this.#isAwaiting = false
    this.#pending.begin()
    this.#options.instances.attach(this.#pending)
    void this.#listen(stream)
    void stream.closed.then((error) => this.#ended(stream, leader, error?.message))
    this.#flush()
  }

  async #listen(stream: StatusStream): Promise<void> {
    try {
      for await (const _ of stream.received) {
        if (stream !== this.#stream) return
        this.#isAwaiting = false
        this.#pauseMs = MIN_PAUSE_MS
        this.#failures = 0
        if (!this.#pending.isEmpty) this.#schedule()
      }
    } catch {
      // `closed` says why.
    }
  }

  #ended(stream: StatusStream, leader: string, reason: string | undefined): void {
    if (stream !== this.#stream) return
    const { clock, random, logger } = this.#options
    this.#stream = undefined
    clock.clearTimeout(this.#timer)
    const pauseMs = this.#pauseMs * (0.5 + random())
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS)
    this.#failures++
    const level = this.#failures === FAILURES_TO_TELL ? 'warn' : 'debug'
    logger[level](
      { leader, reason: reason ?? 'it ended in order' },
      'the leader cannot be told the status of instances',
    )
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined
      if (this.#leader === leader) this.#open(leader)
    }, pauseMs)
  }

  #schedule(): void {
    if (this.#stream === undefined || this.#isAwaiting) return
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, SETTLE_MS)
  }

  #flush(): void {
    if (this.#stream === undefined || this.#isAwaiting || this.#pending.isEmpty) return
    this.#isAwaiting = true
    this.#stream.send(this.#pending.take())
  }
}
