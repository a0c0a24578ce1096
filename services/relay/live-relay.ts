import { randomBytes } from 'node:crypto'
import { mintIdentity, nodeProvider } from '@causeway/npamp/crypto/node'
import { type Clock, systemClock } from '@causeway/npamp/transports'
import { createMetrics, type Metrics, type Readiness } from '@causeway/telemetry'
import type { OwnKey, RelaySettings } from './config/relay-config.ts'
import type { ConfigurationChange, Refusal } from './config-store/contract.ts'
import type { CreateRelayOptions, Relay, RelayAddresses } from './contract.ts'
import type { StatusSource } from './control/contract.ts'
import type { InForce, RoomsChange, SettingsChange } from './live/in-force.ts'
import { LiveResources } from './live/live-configuration.ts'
import type { SuccessorStore } from './mesh/successor-store.ts'
import { Rooms } from './rooms.ts'
import { openSuccessorFile } from './state/successor-file.ts'
import { statusOf } from './status.ts'

/** Opens nothing: everything comes with the configuration. */
export function createRelay(options: CreateRelayOptions): Relay {
  return new RunningRelay(options)
}

class RunningRelay implements Relay, InForce {
  readonly name: string
  readonly metrics: Metrics
  readonly status: StatusSource
  readonly #options: CreateRelayOptions
  readonly #clock: Clock
  readonly #resources: LiveResources
  readonly #replica: string
  #successorStore: Promise<SuccessorStore> | undefined
  #minted: OwnKey | undefined
  #rooms: Rooms | undefined
  #readOnly = false
  #started = false
  #state: 'running' | 'draining' | 'stopped' = 'running'
  #onStatusChanged: () => void = () => {}
  #statusChanges = false
  #drained: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(options: CreateRelayOptions) {
    const { name, logger, mounts, environment = process.env } = options
    this.name = name
    this.metrics = options.metrics ?? createMetrics()
    this.#options = options
    this.#clock = options.clock ?? systemClock()
    this.#replica = options.replica ?? randomBytes(16).toString('hex')
    this.#resources = new LiveResources({
      relayName: name,
      inForce: this,
      mounts,
      environment,
      clock: this.#clock,
      logger,
    })
    this.status = {
      current: () => statusOf(this.#rooms),
      onChanged: (callback) => {
        this.#onStatusChanged = callback
      },
    }
  }

  get peerHandle(): string | undefined {
    return this.#rooms?.peerHandle
  }

  get addresses(): RelayAddresses {
    return this.#rooms?.addresses ?? {}
  }

  ready(): Readiness {
    if (this.#state !== 'running') return { ok: false, reasons: [`the relay is ${this.#state}`] }
    return this.#rooms?.readiness ?? { ok: false, reasons: ['the relay has no configuration yet'] }
  }

  metricsText(): Promise<string> {
    return this.#rooms?.metricsText() ?? this.metrics.text()
  }

  // --- LiveConfiguration ---

  apply(change: ConfigurationChange): Promise<readonly Refusal[]> {
    return this.#resources.apply(change)
  }

  onRefusalsChanged(callback: (refusals: readonly Refusal[]) => void): void {
    this.#resources.onRefusalsChanged(callback)
  }

  denyUnlessReadOnly(denied: boolean): void {
    this.#readOnly = denied
    this.#rooms?.denyUnlessReadOnly(denied)
  }

  // --- InForce ---

  async prepare(settings: RelaySettings | undefined): Promise<SettingsChange> {
    if (this.#rooms === undefined && settings !== undefined) this.#rooms = await this.#createRooms(settings)
    return (await this.#rooms?.prepare(settings)) ?? NOTHING_TO_CHANGE
  }

  change(change: RoomsChange): void {
    this.#rooms?.change(change)
    if (change.settings === undefined) return
    const { peerHandle, addresses } = this
    this.#options.logger.info({ peerHandle, ...addresses }, this.#started ? 'relay settings changed' : 'relay started')
    this.#started = true
  }

  // --- the end ---

  drain(limitMs: number = this.#rooms?.limits.drainMs ?? 0): Promise<void> {
    this.#drained ??= this.#drain(limitMs)
    return this.#drained
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  killServers(): void {
    this.#rooms?.backends.kill()
  }

  async #drain(limitMs: number): Promise<void> {
    this.#state = 'draining'
    await this.#resources.close()
    await this.#rooms?.drain(limitMs)
    await this.stop()
  }

  async #stop(): Promise<void> {
    this.#state = 'stopped'
    await this.#resources.close()
    await this.#rooms?.stop()
    if (this.#rooms !== undefined) this.#options.logger.info({}, 'relay stopped')
  }

  async #createRooms(settings: RelaySettings): Promise<Rooms> {
    const { logger, environment = process.env, wallClock = Date.now } = this.#options
    const rooms = new Rooms(
      {
        provider: nodeProvider(),
        mintedKey: () => this.#mintedKey(),
        replica: this.#replica,
        environment,
        successorStore: await this.#openSuccessors(),
        maxRetiringMs: this.#options.maxRetiringMs,
        clock: this.#clock,
        wallClock,
        logger,
        metrics: this.metrics,
        ready: () => this.ready(),
        onChanged: () => this.#statusChanged(),
      },
      settings,
    )
    rooms.denyUnlessReadOnly(this.#readOnly)
    return rooms
  }

  #openSuccessors(): Promise<SuccessorStore> | undefined {
    const { stateFolder, logger } = this.#options
    if (stateFolder !== undefined) this.#successorStore ??= openSuccessorFile(stateFolder, logger)
    return this.#successorStore
  }

  #mintedKey(): OwnKey {
    this.#minted ??= mintIdentity()
    return this.#minted
  }

  /** Many things change at a time; who listens hears of them once. */
  #statusChanged(): void {
    if (this.#statusChanges) return
    this.#statusChanges = true
    setImmediate(() => {
      this.#statusChanges = false
      if (this.#state !== 'stopped') this.#onStatusChanged()
    })
  }
}

const NOTHING_TO_CHANGE: SettingsChange = { commit() {}, rollback: async () => {} }
