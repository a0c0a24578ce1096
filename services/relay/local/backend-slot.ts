import type { Backend } from '../backends/contract.ts'
import type { BackendConfig, RelayLimits } from '../config/relay-config.ts'
import { type BackendContext, type ConfiguredBackend, createBackend } from '../create-backend.ts'
import type { CallTarget } from '../exchanges/contract.ts'
import type { LocalTarget, TargetScope } from '../mesh/local-targets.ts'
import { sameServer } from './same-server.ts'
import { SlotScope } from './slot-scope.ts'

export interface BackendSlotOptions extends BackendContext {
  /** `namespace/name`. */
  readonly name: string
  /** A session of a client of this relay is over. */
  readonly onSessionLost: (sessionId: string) => void
  readonly onHealthChanged: () => void
}

/**
 * The place of one MeshBackend of this relay, whatever is behind it at the moment. Who calls it keeps calling it: new calls
 * go to the newest backend, sessions stay where they were opened until their backend has gone.
 */
export class BackendSlot implements LocalTarget {
  readonly name: string
  readonly #options: BackendSlotOptions
  readonly #scopes = new Set<SlotScope>()
  readonly #retiring = new Map<Backend, Promise<void>>()
  #config: BackendConfig | undefined
  #current: ConfiguredBackend | undefined
  #edgeTarget: CallTarget | undefined

  constructor(options: BackendSlotOptions) {
    this.name = `backend/${options.name}`
    this.#options = options
  }

  /** What new calls go to; undefined: there is no such backend. */
  get backend(): Backend | undefined {
    return this.#current?.backend
  }

  get config(): BackendConfig | undefined {
    return this.#config
  }

  /** Neither a backend is here nor one that is going. */
  get isVacant(): boolean {
    return this.#current === undefined && this.#retiring.size === 0
  }

  /** What the routes of this relay call, always the same: there is one scope for all of them. */
  get edgeTarget(): CallTarget {
    this.#edgeTarget ??= this.scope(this.#options.onSessionLost)
    return this.#edgeTarget
  }

  /** Puts a configuration into force. Another server takes the place of the one that is there, which has `drainMs` to end. */
  set(config: BackendConfig, limits: RelayLimits): void {
    const same = this.#config !== undefined && sameServer(this.#config, config)
    this.#config = config
    if (same) {
      this.#current?.update(config, limits)
      return
    }
    this.#retire(limits.drainMs)
    const { environment, clock, logger, metrics, onHealthChanged } = this.#options
    this.#current = createBackend(config, { limits, environment, clock, logger, metrics, onHealthChanged })
  }

  /** The limits of the relay changed. */
  setLimits(limits: RelayLimits): void {
    if (this.#config !== undefined) this.#current?.update(this.#config, limits)
  }

  /** It is configured no more: nothing new is called, what is open has `drainMs` to end. */
  remove(drainMs: number): void {
    this.#config = undefined
    this.#retire(drainMs)
  }

  scope(onSessionLost: (sessionId: string, reason: 'backend' | 'unknown') => void): TargetScope {
    const scope = new SlotScope(this, onSessionLost, () => this.#scopes.delete(scope))
    this.#scopes.add(scope)
    return scope
  }

  async close(): Promise<void> {
    const current = this.#current?.backend
    this.#config = undefined
    await Promise.all([current?.close(), ...[...this.#retiring.keys()].map((backend) => backend.close())])
  }

  kill(): void {
    this.#current?.backend.kill()
    for (const backend of this.#retiring.keys()) backend.kill()
  }

  #retire(limitMs: number): void {
    const left = this.#current?.backend
    this.#current = undefined
    if (left === undefined) return
    const gone = left.retire(limitMs).then(() => {
      this.#retiring.delete(left)
      for (const scope of this.#scopes) scope.forget(left)
    })
    this.#retiring.set(left, gone)
  }
}
