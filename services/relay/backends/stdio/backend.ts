import { atMost } from '../../pacing/at-most.ts'
import type { BackendHealth, BackendScope, SessionLostCallback } from '../contract.ts'
import { stopping, unknown } from '../http/failures.ts'
import type { StdioBackend, StdioBackendLimits, StdioBackendOptions } from './contract.ts'
import type { ConversationHost } from './conversation.ts'
import { environmentOf } from './environment.ts'
import { EraOfServer } from './era.ts'
import type { Exchange, ExchangeEnd, ExchangeHost } from './exchange.ts'
import { ProcessPool, type ProcessPoolLimits } from './process-pool.ts'
import { ProcessQuota } from './process-quota.ts'
import { Processes } from './processes.ts'
import { type ScopeHost, StdioBackendScope } from './scope.ts'
import { StartPolicy } from './start-policy.ts'
import { StdioTelemetry } from './telemetry.ts'

/** Starts no process before the first call. */
export function createStdioBackend(options: StdioBackendOptions): StdioBackend {
  return new ProcessBackend(options)
}

class ProcessBackend implements StdioBackend, ScopeHost {
  readonly name: string
  readonly quota: ProcessQuota
  readonly telemetry: StdioTelemetry
  readonly processes: Processes
  readonly pool: ProcessPool
  readonly exchanges: ExchangeHost
  readonly #scopes = new Set<StdioBackendScope>()
  /** With the time of their start. */
  readonly #open = new Map<Exchange, number>()
  #sessions = 0
  #closing = false
  #closed: Promise<void> | undefined
  #onUnused: (() => void) | undefined
  readonly #conversations: ConversationHost

  constructor(options: StdioBackendOptions) {
    const { name, limits, clock } = options
    this.name = name
    this.quota = new ProcessQuota(limits.maxSessionProcesses ?? DEFAULT_MAX_SESSION_PROCESSES)
    const maxLineOctets = limits.maxReplyOctets ?? DEFAULT_MAX_REPLY_OCTETS
    this.telemetry = new StdioTelemetry(options, { maxLineOctets })
    this.#conversations = conversationHost(options, maxLineOctets, this.telemetry)
    this.processes = new Processes(this.#conversations)
    this.pool = new ProcessPool({
      processes: this.processes,
      clock,
      ...poolLimits(limits),
    })
    this.exchanges = {
      clock,
      era: new EraOfServer(clock),
      discoverTimeoutMs: limits.startTimeoutMs ?? DEFAULT_DISCOVER_TIMEOUT_MS,
    }
  }

  update(limits: StdioBackendLimits): void {
    const maxLineOctets = limits.maxReplyOctets ?? DEFAULT_MAX_REPLY_OCTETS
    this.quota.limit = limits.maxSessionProcesses ?? DEFAULT_MAX_SESSION_PROCESSES
    this.#conversations.process = { ...this.#conversations.process, maxLineOctets }
    this.telemetry.limitLines(maxLineOctets)
    this.pool.setLimits(poolLimits(limits))
  }

  get health(): BackendHealth {
    return this.telemetry.calls.health
  }

  get openExchanges(): number {
    return this.#open.size
  }

  get openSessions(): number {
    return this.#sessions
  }

  scope(onSessionLost: SessionLostCallback = () => {}): BackendScope {
    const scope = new StdioBackendScope(this, onSessionLost)
    this.#scopes.add(scope)
    return scope
  }

  async retire(limitMs: number): Promise<void> {
    for (const scope of this.#scopes) scope.retire()
    const unused = new Promise<void>((resolve) => {
      this.#onUnused = resolve
    })
    this.#tellIfUnused()
    await atMost(this.exchanges.clock, unused, limitMs)
    await this.close()
  }

  close(): Promise<void> {
    this.#closing = true
    this.#closed ??= this.#close()
    return this.#closed
  }

  kill(): void {
    this.#closing = true
    this.pool.close(stopping())
    this.processes.kill()
  }

  async #close(): Promise<void> {
    for (const exchange of [...this.#open.keys()]) exchange.failUnsent(stopping())
    this.pool.close(stopping())
    for (const scope of this.#scopes) scope.endAll('policy')
    await this.processes.end(CLOSE_LIMIT_MS, KILL_AFTER_MS)
    for (const exchange of [...this.#open.keys()]) exchange.fail(unknown('the relay closed this backend'))
  }

  // --- ScopeHost ---

  get closing(): boolean {
    return this.#closing
  }

  opened(exchange: Exchange): void {
    this.#open.set(exchange, this.exchanges.clock.now())
    this.telemetry.calls.exchangeOpened()
  }

  ended(exchange: Exchange, how: ExchangeEnd): void {
    const now = this.exchanges.clock.now()
    const durationMs = now - (this.#open.get(exchange) ?? now)
    this.#open.delete(exchange)
    const { calls } = this.telemetry
    if (typeof how === 'string') calls.replied(how, durationMs)
    else calls.failed(how, exchange.options.request, durationMs)
    this.#tellIfUnused()
  }

  sessionOpened(): void {
    this.#sessions += 1
    this.telemetry.calls.sessionOpened()
  }

  sessionEnded(reason: string): void {
    this.#sessions -= 1
    this.telemetry.calls.sessionEnded(reason)
    this.#tellIfUnused()
  }

  scopeEnded(scope: StdioBackendScope): void {
    this.#scopes.delete(scope)
  }

  #tellIfUnused(): void {
    if (this.#sessions === 0 && this.#open.size === 0) this.#onUnused?.()
  }
}

function poolLimits(limits: StdioBackendLimits): ProcessPoolLimits {
  return {
    maxProcesses: limits.maxProcesses ?? DEFAULT_MAX_PROCESSES,
    maxQueued: limits.maxQueued ?? DEFAULT_MAX_QUEUED,
    idleTimeoutMs: limits.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
  }
}

function conversationHost(
  options: StdioBackendOptions,
  maxLineOctets: number,
  telemetry: StdioTelemetry,
): ConversationHost {
  const { command, args, cwd, limits, clock, random = Math.random } = options
  return {
    process: {
      command,
      args,
      cwd,
      env: environmentOf(options, process.platform),
      maxLineOctets,
      inputLimits: {
        maxMessages: limits.maxQueuedPerProcess ?? DEFAULT_MAX_QUEUED_PER_PROCESS,
        maxOctets: MAX_QUEUED_OCTETS,
      },
      stopGraceMs: limits.stopGraceMs ?? DEFAULT_STOP_GRACE_MS,
      clock,
      logger: telemetry.logger,
      onLineEndsChanged: (count) => telemetry.lineEndsChanged(count),
    },
    telemetry,
    starts: { legacy: new StartPolicy(clock, random), modern: new StartPolicy(clock, random) },
    clock,
    startTimeoutMs: limits.startTimeoutMs,
  }
}

const DEFAULT_MAX_PROCESSES = 8
const DEFAULT_MAX_SESSION_PROCESSES = 32
const DEFAULT_MAX_QUEUED = 64
const DEFAULT_MAX_QUEUED_PER_PROCESS = 1_024
const MAX_QUEUED_OCTETS = 16 * 1024 * 1024
const DEFAULT_MAX_REPLY_OCTETS = 16 * 1024 * 1024
const DEFAULT_STOP_GRACE_MS = 2_000
const DEFAULT_IDLE_TIMEOUT_MS = 5 * 60_000
const DEFAULT_DISCOVER_TIMEOUT_MS = 30_000
/** As much as `Backend.close` may take; what is not gone long before gets no more time. */
const CLOSE_LIMIT_MS = 5_000
const KILL_AFTER_MS = 4_500
