import type { CallFailure } from '../../exchanges/contract.ts'
import type { BackendClock } from '../contract.ts'
import type { Conversation } from './conversation.ts'
import type { Exchange } from './exchange.ts'
import { processEndedUnsent, tooManyWaiting } from './failures.ts'
import type { Processes } from './processes.ts'

export interface ProcessPoolOptions extends ProcessPoolLimits {
  readonly processes: Processes
  readonly clock: BackendClock
}

export interface ProcessPoolLimits {
  readonly maxProcesses: number
  readonly maxQueued: number
  readonly idleTimeoutMs: number
}

/**
 * The processes for requests of the modern era. Each serves one request at a time, because nothing may be renumbered and
 * two clients may use one id (CARRIAGE section 10); it is kept warm for the next.
 */
export class ProcessPool {
  #options: ProcessPoolOptions
  /** The one that was used last stands last. */
  readonly #workers = new Set<Worker>()
  readonly #waiting = new Set<Exchange>()
  #closed = false

  constructor(options: ProcessPoolOptions) {
    this.#options = options
  }

  /** What runs beyond a lower limit runs on until it is idle. */
  setLimits(limits: ProcessPoolLimits): void {
    this.#options = { ...this.#options, ...limits }
    this.#pump()
  }

  /** Begins the exchange on a process, or lets it wait for one. The answer: it may not even wait, or cannot be served. */
  enter(exchange: Exchange): CallFailure | undefined {
    const releasing = this.#count('releasing')
    const refusal = this.#waiting.size > 0 ? 'full' : this.#place(exchange)
    if (refusal !== 'full') return refusal
    const { maxQueued } = this.#options
    if (this.#waiting.size >= maxQueued + releasing) return tooManyWaiting(maxQueued)
    this.#waiting.add(exchange)
    this.#makeRoom()
    return undefined
  }

  /** It has ended: its process is for the next. */
  ended(exchange: Exchange): void {
    if (this.#waiting.delete(exchange)) return
    for (const worker of this.#workers) if (worker.exchange === exchange) this.#release(worker)
  }

  /** Lets none of the exchanges begin that wait, and keeps no process for another. */
  close(failure: CallFailure): void {
    this.#closed = true
    for (const exchange of [...this.#waiting]) exchange.fail(failure)
    for (const worker of this.#workers) this.#retire(worker)
  }

  /** Undefined: it has begun. */
  #place(exchange: Exchange): CallFailure | 'full' | undefined {
    const idle = [...this.#workers].findLast(isFree)
    const worker = idle ?? this.#start()
    if (worker === 'full' || 'code' in worker) return worker
    this.#options.clock.clearTimeout(worker.timer)
    worker.state = 'leased'
    worker.exchange = exchange
    exchange.begin(worker.conversation)
    return undefined
  }

  #start(): Worker | CallFailure | 'full' {
    const { processes, maxProcesses } = this.#options
    // One that has just answered is free within this turn.
    if (this.#workers.size >= maxProcesses || this.#count('releasing') > 0) return 'full'
    const refusal = processes.refusal('modern')
    // What runs serves those who wait.
    if (refusal !== undefined) return this.#count('leased') > 0 ? 'full' : refusal
    const worker: Worker = {
      state: 'idle',
      exchange: undefined,
      timer: undefined,
      conversation: processes.start(
        {
          over: (end) => {
            worker.state = 'ending'
            return processEndedUnsent(end)
          },
          gone: () => {
            this.#options.clock.clearTimeout(worker.timer)
            this.#workers.delete(worker)
            this.#pump()
          },
          stray: (what) => this.#stray(worker, what),
        },
        'modern',
      ),
    }
    this.#workers.add(worker)
    return worker
  }

  #count(state: Worker['state']): number {
    let count = 0
    for (const worker of this.#workers) if (worker.state === state) count += 1
    return count
  }

  #release(worker: Worker): void {
    worker.exchange = undefined
    if (worker.state === 'ending' || this.#closed) return
    const { clock } = this.#options
    if (worker.conversation.awaitsAnswers) {
      // An answer to a cancelled call must not meet another call with the same id.
      worker.state = 'draining'
      worker.timer = clock.setTimeout(() => this.#retire(worker), LATE_ANSWER_MS)
      this.#makeRoom()
      return
    }
    // What it wrote along with its answer is still for that call, and not for the next.
    worker.state = 'releasing'
    setImmediate(() => {
      if (worker.state === 'releasing') this.#idle(worker)
    })
  }

  #idle(worker: Worker): void {
    const { clock, idleTimeoutMs, maxProcesses } = this.#options
    if (this.#workers.size > maxProcesses) {
      this.#retire(worker)
      return
    }
    worker.state = 'idle'
    worker.timer = clock.setTimeout(() => this.#retire(worker), idleTimeoutMs)
    this.#workers.delete(worker)
    this.#workers.add(worker)
    this.#pump()
  }

  #stray(worker: Worker, what: 'late' | 'unmatched'): void {
    if (worker.state === 'leased' || worker.state === 'ending') return
    this.#options.clock.clearTimeout(worker.timer)
    // Who answers what nobody asked could give the next call a wrong answer.
    if (what === 'unmatched') this.#retire(worker)
    else if (!worker.conversation.awaitsAnswers) this.#idle(worker)
  }

  #retire(worker: Worker): void {
    this.#options.clock.clearTimeout(worker.timer)
    worker.state = 'ending'
    worker.conversation.stop()
  }

  /** Somebody waits: a process that is kept for a late answer only is replaced. */
  #makeRoom(): void {
    if (this.#waiting.size === 0 || this.#workers.size < this.#options.maxProcesses) return
    for (const worker of this.#workers) {
      if (worker.state === 'ending') return
      if (worker.state !== 'draining') continue
      this.#retire(worker)
      return
    }
  }

  #pump(): void {
    if (this.#closed) return
    for (const exchange of this.#waiting) {
      const refusal = this.#place(exchange)
      if (refusal === 'full') break
      this.#waiting.delete(exchange)
      if (refusal !== undefined) exchange.fail(refusal)
    }
    this.#makeRoom()
  }
}

interface Worker {
  state: 'idle' | 'leased' | 'releasing' | 'draining' | 'ending'
  exchange: Exchange | undefined
  /** Until it is ended: while idle, or while it waits for a late answer. */
  timer: unknown
  readonly conversation: Conversation
}

/** One that has just ended may not have been told of yet. */
function isFree({ state, conversation }: Worker): boolean {
  return state === 'idle' && conversation.takesMessages
}

const LATE_ANSWER_MS = 5_000
