import type { CallFailure } from '../../exchanges/contract.ts'
import { atMost } from '../../pacing/at-most.ts'
import type { BackendHealth, BackendScope, SessionLostCallback } from '../contract.ts'
import { ConcurrencyGate } from './concurrency-gate.ts'
import type { HttpBackend, HttpBackendOptions, HttpBackendSettings } from './contract.ts'
import type { Exchange } from './exchange.ts'
import { stopping, unknown } from './failures.ts'
import { DEFAULT_MAX_HEADER_OCTETS } from './pool.ts'
import { HttpPools } from './pools.ts'
import { ownHeaders } from './request-headers.ts'
import { HttpBackendScope, type ScopeHost } from './scope.ts'
import { BackendTelemetry } from './telemetry.ts'
import type { Upstream } from './upstream.ts'

/** Opens no connection before the first call. */
export function createHttpBackend(options: HttpBackendOptions): HttpBackend {
  return new PooledHttpBackend(options)
}

class PooledHttpBackend implements HttpBackend, ScopeHost {
  readonly name: string
  readonly maxQueuedPerSession: number
  readonly #upstream: Changeable<Upstream>
  readonly #pools: HttpPools
  readonly #scopes = new Set<HttpBackendScope>()
  readonly #exchanges = new Map<Exchange, number>()
  #maxSessions: number
  #sessions = 0
  #closing = false
  #closed: Promise<void> | undefined
  #onUnused: (() => void) | undefined

  constructor(options: HttpBackendOptions) {
    const { name, url, limits, clock, transport = 'streamableHttp' } = options
    const telemetry = new BackendTelemetry(options)
    this.name = name
    this.#pools = new HttpPools(options)
    this.#maxSessions = limits.maxSessions ?? DEFAULT_MAX_SESSIONS
    this.maxQueuedPerSession = limits.maxQueuedPerSession ?? DEFAULT_MAX_QUEUED
    this.#upstream = {
      ...changeable(options, telemetry),
      pools: this.#pools,
      url,
      path: `${url.pathname}${url.search}`,
      transport,
      maxBatchMessages: limits.maxBatchMessages ?? DEFAULT_MAX_BATCH_MESSAGES,
      maxServerRequests: limits.maxServerRequests ?? DEFAULT_MAX_SERVER_REQUESTS,
      reopening: {
        firstMs: limits.reopenDelayMs ?? DEFAULT_REOPEN_DELAY_MS,
        maxMs: limits.maxReopenDelayMs ?? DEFAULT_MAX_REOPEN_DELAY_MS,
      },
      listenLimitMs: limits.listenLimitMs ?? DEFAULT_LISTEN_LIMIT_MS,
      random: options.random ?? Math.random,
      gate: new ConcurrencyGate(limits.maxConcurrency ?? Number.POSITIVE_INFINITY),
      clock,
      telemetry,
    }
  }

  update(settings: HttpBackendSettings): void {
    const { limits } = settings
    this.#maxSessions = limits.maxSessions ?? DEFAULT_MAX_SESSIONS
    this.#pools.update(limits)
    Object.assign(this.#upstream, changeable(settings, this.#upstream.telemetry))
    this.#upstream.gate.setLimit(limits.maxConcurrency ?? Number.POSITIVE_INFINITY)
  }

  get upstream(): Upstream {
    return this.#upstream
  }

  get maxSessions(): number {
    return this.#maxSessions
  }

  get health(): BackendHealth {
    return this.#upstream.telemetry.health
  }

  get openExchanges(): number {
    return this.#exchanges.size
  }

  get openSessions(): number {
    return this.#sessions
  }

  scope(onSessionLost: SessionLostCallback = () => {}): BackendScope {
    const scope = new HttpBackendScope(this, onSessionLost)
    this.#scopes.add(scope)
    return scope
  }

  async retire(limitMs: number): Promise<void> {
    for (const scope of this.#scopes) scope.retire()
    const unused = new Promise<void>((resolve) => {
      this.#onUnused = resolve
    })
    this.#tellIfUnused()
    await atMost(this.#upstream.clock, unused, limitMs)
    await this.close()
  }

  close(): Promise<void> {
    this.#closing = true
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** It has no processes; its connections end with the relay's. */
  kill(): void {
    this.#closing = true
  }

  async #close(): Promise<void> {
    // All that waits before any of it gets the place of another: nothing of it has left, and nothing will.
    for (const exchange of [...this.#exchanges.keys()]) exchange.failUnsent(stopping())
    const told = [...this.#scopes].map((scope) => scope.endAll('policy'))
    await atMost(this.#upstream.clock, Promise.all(told), CLOSE_LIMIT_MS)
    for (const exchange of [...this.#exchanges.keys()]) exchange.fail(unknown('the relay closed this backend'))
    await this.#pools.destroy()
  }

  // --- ScopeHost ---

  get closing(): boolean {
    return this.#closing
  }

  takeSession(): boolean {
    if (this.#sessions >= this.maxSessions) return false
    this.#sessions += 1
    return true
  }

  returnSession(): void {
    this.#sessions -= 1
    this.#tellIfUnused()
  }

  scopeEnded(scope: HttpBackendScope): void {
    this.#scopes.delete(scope)
  }

  opened(exchange: Exchange): void {
    this.#exchanges.set(exchange, this.#upstream.clock.now())
    this.#upstream.telemetry.exchangeOpened()
  }

  ended(exchange: Exchange, how: 'result' | 'error' | CallFailure): void {
    const { clock, telemetry } = this.#upstream
    const durationMs = clock.now() - (this.#exchanges.get(exchange) ?? clock.now())
    this.#exchanges.delete(exchange)
    if (typeof how === 'string') telemetry.replied(how, durationMs)
    else telemetry.failed(how, exchange.request, durationMs)
    this.#tellIfUnused()
  }

  #tellIfUnused(): void {
    if (this.#sessions === 0 && this.#exchanges.size === 0) this.#onUnused?.()
  }
}

type Changeable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** What of an upstream follows from the settings that may change. */
function changeable(
  { headers: configured = new Map(), acceptHeaders, limits }: HttpBackendSettings,
  telemetry: BackendTelemetry,
): Pick<Upstream, 'headers' | 'acceptHeaders' | 'maxHeaderOctets' | 'maxReplyOctets' | 'endpointLimitMs'> {
  const headers = ownHeaders(configured, (refused) => telemetry.headerRefused(refused))
  return {
    headers,
    // What the MeshBackend sets, no caller replaces.
    acceptHeaders: new Set(acceptHeaders.filter((accepted) => !headers.includes(accepted))),
    maxHeaderOctets: limits.maxHeaderOctets ?? DEFAULT_MAX_HEADER_OCTETS,
    maxReplyOctets: limits.maxReplyOctets ?? DEFAULT_MAX_REPLY_OCTETS,
    endpointLimitMs: limits.firstHeaderTimeoutMs ?? DEFAULT_ENDPOINT_LIMIT_MS,
  }
}

/** A backend that stands still does not hold up the relay that stops; what it has not been told by then it never is. */
const CLOSE_LIMIT_MS = 2_000
const DEFAULT_MAX_REPLY_OCTETS = 16 * 1024 * 1024
const DEFAULT_MAX_QUEUED = 1_024
const DEFAULT_MAX_SESSIONS = 10_000
const DEFAULT_MAX_BATCH_MESSAGES = 1_000
const DEFAULT_MAX_SERVER_REQUESTS = 256
const DEFAULT_REOPEN_DELAY_MS = 1_000
const DEFAULT_MAX_REOPEN_DELAY_MS = 30_000
const DEFAULT_ENDPOINT_LIMIT_MS = 30_000
const DEFAULT_LISTEN_LIMIT_MS = 300
