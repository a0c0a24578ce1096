import type { Clock } from '@causeway/npamp/transports'
import type { ConfigChannel, DeltaErrorCode, RpcError } from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { ConfigStore } from '../config-store/config-store.ts'
import { type AttemptOptions, attempt, type OpenSession } from './attempt.ts'
import { Attempts } from './attempts.ts'
import type { ConfigSession } from './config-session.ts'
import type { InstanceName } from './contract.ts'
import { Wait } from './wait.ts'

export interface ControlClientOptions {
  readonly instance: InstanceName
  /** Where control planes are; at least one. */
  readonly channels: readonly ConfigChannel[]
  readonly store: ConfigStore
  readonly events: ControlEvents
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
}

interface ControlEvents {
  /** A stream is open. */
  onStream(session: ConfigSession): void
  /** Its first Delta was taken: from now on a control plane answers. */
  onServed(session: ConfigSession): void
  /** None answers any more. */
  onLost(): void
  onDelta(error: DeltaErrorCode | undefined): void
  onAttempt(result: 'opened' | 'failed'): void
}

/**
 * A control plane that is not synced yet, or holds back a Delta that would remove most of what there is, may take its time
 * (CONTROL section 3: 30 s).
 */
const FIRST_DELTA_LIMIT_MS = 60_000
/** Of the stream that follows another, which goes on meanwhile. */
const NEXT_DELTA_LIMIT_MS = 10_000
/** What comes on the old stream that often before the first Delta of the next has to wait for that. */
const MAX_OUTDATED = 3

/**
 * Keeps one stream to one of several control planes, and says what comes of it. Where a control plane asks for another
 * stream, the next one has its first Delta before the old one is left.
 */
export class ControlClient {
  readonly #options: ControlClientOptions
  readonly #attempts: Attempts
  readonly #wait: Wait
  #session: ConfigSession | undefined
  #pending: ConfigSession | undefined
  #isStopped = false
  #running: Promise<void> | undefined
  #lastFailure: string | undefined

  constructor(options: ControlClientOptions) {
    this.#options = options
    this.#attempts = new Attempts(options.channels, options.random)
    this.#wait = new Wait(options.clock)
  }

  /** Whether a control plane answers. */
  get isConnected(): boolean {
    return this.#session !== undefined
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Does not wait any longer before the next attempt: something has changed that it failed for. */
  retryNow(): void {
    this.#wait.skip()
  }

  /** What is refused has changed. */
  refusalsChanged(): void {
    this.#session?.sendRefusals()
  }

  /** Ends the stream; what it was just doing with the store is waited for. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wait.skip()
    this.#pending?.cancel()
    this.#session?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const opened = await this.#open(FIRST_DELTA_LIMIT_MS)
      if (opened !== undefined && opened !== 'outdated') await this.#serve(opened)
      if (!this.#isStopped) await this.#wait.for(this.#attempts.waitMs())
    }
  }

  /** Until the last of a row of streams, each of which was opened before the one before it was left, is over. */
  async #serve(first: OpenSession): Promise<void> {
    const { clock, events, logger } = this.#options
    const openedAt = clock.now()
    let end: RpcError | undefined
    for (let opened: OpenSession | undefined = first; opened !== undefined; ) {
      this.#session = opened.session
      events.onServed(opened.session)
      opened = await this.#untilNext(opened, (why) => {
        end = why
      })
    }
    this.#session = undefined
    this.#attempts.lost(clock.now() - openedAt)
    events.onLost()
    if (!this.#isStopped) logger.warn({ reason: end?.message ?? 'it ended the stream' }, 'the control plane is lost')
  }

  /** The stream that follows this one; undefined: this one is over, and there is none. */
  async #untilNext(
    { session, reconnect }: OpenSession,
    onEnd: (why: RpcError | undefined) => void,
  ): Promise<OpenSession | undefined> {
    let isOver = false
    const over = session.closed.then((end) => {
      isOver = true
      onEnd(end)
      this.#wait.skip()
    })
    await Promise.race([reconnect, over])
    for (let outdated = 0; !isOver && !this.#isStopped; ) {
      if (outdated >= MAX_OUTDATED) await session.pause()
      const next = await this.#open(NEXT_DELTA_LIMIT_MS, session)
      if (next === 'outdated') {
        outdated += 1
        continue
      }
      if (next !== undefined) {
        session.cancel()
        return next
      }
      session.resume()
      if (!isOver) await this.#wait.for(this.#attempts.waitMs())
    }
    await over
    return undefined
  }

  async #open(limitMs: number, beside?: ConfigSession): Promise<OpenSession | 'outdated' | undefined> {
    if (this.#isStopped) return undefined
    const { events, logger, instance, store, clock } = this.#options
    const channel = this.#attempts.nextChannel()
    const options: AttemptOptions = {
      channel,
      instance,
      store,
      clock,
      limitMs,
      ...(beside === undefined ? {} : { beside }),
      onDelta: (error) => events.onDelta(error),
      onOpened: ({ session }) => {
        this.#pending = session
        events.onStream(session)
      },
    }
    try {
      const opened = await attempt(options)
      if (opened === 'outdated') return opened
      events.onAttempt('opened')
      this.#lastFailure = undefined
      logger.info({ target: channel.target }, 'configuration comes from this control plane')
      return opened
    } catch (error) {
      this.#attempts.failed()
      if (this.#isStopped) return undefined
      events.onAttempt('failed')
      this.#tellFailure(channel.target, error instanceof Error ? error.message : String(error))
      return undefined
    } finally {
      this.#pending = undefined
    }
  }

  /** The same failure in a row once. */
  #tellFailure(target: string, reason: string): void {
    const { logger } = this.#options
    const failure = `${target} ${reason}`
    const level = failure === this.#lastFailure ? 'debug' : 'warn'
    logger[level]({ target, reason, failures: this.#attempts.failures }, 'no configuration from this control plane')
    this.#lastFailure = failure
  }
}
