import { backoffMs } from '../backoff.ts'
import type { Clock } from '../clock.ts'

export interface WorkQueueOptions {
  readonly clock: Clock
  /** In [0, 1), for jitter. */
  readonly random: () => number
  /** First wait after a failure; default 100 ms. */
  readonly backoffInitialMs?: number
  /** Longest wait after failures; default 60 s. */
  readonly backoffMaxMs?: number
  readonly hooks?: WorkQueueHooks
}

/** What metrics are made of. */
export interface WorkQueueHooks {
  /** Keys that wait for a worker. */
  readonly depth?: (depth: number) => void
  /** A worker took a key that had waited so long. */
  readonly taken?: (waitedMs: number) => void
  /** A worker is through with a key. */
  readonly finished?: (workedMs: number) => void
  readonly retried?: () => void
}

interface Delayed {
  readonly dueMs: number
  readonly timer: unknown
}

const BACKOFF_INITIAL_MS = 100
const BACKOFF_MAX_MS = 60_000

/**
 * Keys of work. A key waits at most once, however often it is added, and never two workers have the same one: what is
 * added while a worker has the key waits until that worker is done.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  /** Waiting keys in order, with the time since when. */
  readonly #ready = new Map<string, number>()
  /** Keys that a worker has, with the time since when. */
  readonly #taken = new Map<string, number>()
  /** Added while a worker had it. */
  readonly #again = new Set<string>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #failures = new Map<string, number>()
  readonly #idle: ((key: string | undefined) => void)[] = []
  #isClosed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** Keys that wait for a worker; those that wait for a time do not count. */
  get depth(): number {
    return this.#ready.size
  }

  /** The key is worked on as soon as a worker is free. */
  add(key: string): void {
    if (this.#isClosed) return
    this.#cancel(key)
    if (this.#taken.has(key)) {
      this.#again.add(key)
      return
    }
    if (this.#ready.has(key)) return
    this.#ready.set(key, this.#options.clock.now())
    this.#options.hooks?.depth?.(this.#ready.size)
    this.#dispatch()
  }

  /** The key is worked on after `ms`, or sooner if somebody adds it sooner. */
  addAfter(key: string, ms: number): void {
    if (this.#isClosed) return
    if (this.#ready.has(key) || this.#again.has(key)) return
    if (ms <= 0) {
      this.add(key)
      return
    }
    const dueMs = this.#options.clock.now() + ms
    const before = this.#delayed.get(key)
    if (before !== undefined && before.dueMs <= dueMs) return
    this.#cancel(key)
    const timer = this.#options.clock.setTimeout(() => {
      this.#delayed.delete(key)
      this.add(key)
    }, ms)
    this.#delayed.set(key, { dueMs, timer })
  }

  /** Again after a failure: each one in a row waits twice as long. Never sooner than `atLeastMs`. */
  retry(key: string, atLeastMs = 0): void {
    const { random } = this.#options
    const failures = this.#failures.get(key) ?? 0
    this.#failures.set(key, failures + 1)
    this.#options.hooks?.retried?.()
    const initialMs = this.#options.backoffInitialMs ?? BACKOFF_INITIAL_MS
    const maxMs = this.#options.backoffMaxMs ?? BACKOFF_MAX_MS
    this.addAfter(key, Math.max(atLeastMs, backoffMs({ initialMs, maxMs, random }, failures)))
  }

  /** The key's failures are forgotten. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** The next key, when there is one; undefined when the queue is closed. Whoever takes a key calls `done`. */
  take(): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve(undefined)
      this.#idle.push(resolve)
      this.#dispatch()
    })
  }

  done(key: string): void {
    const takenAtMs = this.#taken.get(key)
    if (takenAtMs === undefined) return
    this.#taken.delete(key)
    this.#options.hooks?.finished?.(this.#options.clock.now() - takenAtMs)
    if (this.#again.delete(key)) this.add(key)
  }

  /** Nothing more is handed out; whoever waits gets undefined. */
  close(): void {
    this.#isClosed = true
    for (const { timer } of this.#delayed.values()) this.#options.clock.clearTimeout(timer)
    this.#delayed.clear()
    this.#ready.clear()
    this.#again.clear()
    for (const resolve of this.#idle.splice(0)) resolve(undefined)
  }

  #dispatch(): void {
    const { clock, hooks } = this.#options
    for (const [key, sinceMs] of this.#ready) {
      const resolve = this.#idle.shift()
      if (resolve === undefined) return
      this.#ready.delete(key)
      this.#taken.set(key, clock.now())
      hooks?.depth?.(this.#ready.size)
      hooks?.taken?.(clock.now() - sinceMs)
      resolve(key)
    }
  }

  #cancel(key: string): void {
    const delayed = this.#delayed.get(key)
    if (delayed === undefined) return
    this.#options.clock.clearTimeout(delayed.timer)
    this.#delayed.delete(key)
  }
}
