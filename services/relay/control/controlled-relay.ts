import type { Clock } from '@causeway/npamp/transports'
import type { ConfigChannel, InstanceStatus } from '@causeway/rpc'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import { ConfigStore } from '../config-store/config-store.ts'
import type { StateFolder } from '../config-store/state/state-folder.ts'
import type { InstanceName, LiveRelay } from './contract.ts'
import { ControlClient } from './control-client.ts'
import { observeControl } from './control-metrics.ts'
import { Staleness } from './staleness.ts'
import { StatusSender } from './status-sender.ts'

export interface ControlledRelayOptions {
  readonly instance: InstanceName
  readonly live: LiveRelay
  /** Where control planes are; at least one. */
  readonly channels: readonly ConfigChannel[]
  /** What outlives the process; undefined: nothing. */
  readonly folder: StateFolder | undefined
  /** SHA-256 of the trust bundle at hand; undefined: there is none. */
  readonly trustBundleSha256?: () => Uint8Array | undefined
  readonly clock: Clock
  /** Unix milliseconds. */
  readonly wallNow: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** A relay that does what control planes say. */
export interface ControlledRelay {
  /** Ready: a configuration is in force, and every listener that it asks for is open. With a control plane or without. */
  ready(): Readiness
  /** Certificates are others now: a new attempt is made at once, and the status says it. */
  certificatesChanged(): void
  /** Leaves the control plane, stops accepting and waits for open exchanges. Never rejects. */
  drain(limitMs?: number): Promise<void>
  /** Ends everything now. Never rejects. */
  stop(): Promise<void>
  /** As LiveRelay. */
  killServers(): void
}

/**
 * Puts into force what the folder holds, and connects to a control plane; does not wait for one. Rejects when the folder
 * cannot be used.
 */
export async function startControlledRelay(options: ControlledRelayOptions): Promise<ControlledRelay> {
  const { live, folder, logger } = options
  const store = await ConfigStore.open({ folder, live, logger })
  await store.start()
  return new Running(options, store)
}

class Running implements ControlledRelay {
  readonly #live: LiveRelay
  readonly #store: ConfigStore
  readonly #client: ControlClient
  readonly #staleness: Staleness
  readonly #status: StatusSender
  readonly #unobserve: () => void
  #left: Promise<void> | undefined

  constructor(options: ControlledRelayOptions, store: ConfigStore) {
    const { live, instance, clock, metrics, logger, wallNow, trustBundleSha256 = () => undefined } = options
    const name = `${instance.namespace}/${instance.relay}`
    this.#live = live
    this.#store = store
    this.#staleness = new Staleness({
      clock,
      wallNow,
      lastContactMs: store.lastContactMs,
      settings: () => store.settings(name)?.staleness,
      onDeny: (denied) => live.denyUnlessReadOnly(denied),
      onContact: (unixMs) => void store.contact(unixMs),
      logger,
    })
    const status = (): InstanceStatus => {
      return { ...live.status.current(), trustBundleSha256: trustBundleSha256() ?? new Uint8Array() }
    }
    this.#status = new StatusSender(status, clock)
    const counted = observeControl(metrics, {
      staleSeconds: () => this.#staleness.seconds,
      connected: () => (this.#client.isConnected ? 1 : 0),
      refused: () => store.refusals().length,
      logOctets: () => store.logOctets,
    })
    this.#unobserve = counted.stop
    this.#client = new ControlClient({
      ...options,
      store,
      events: {
        onStream: (session) => {
          // Beside a stream that is served, the next one is told when it is.
          if (!this.#client.isConnected) this.#status.setReceiver(session)
        },
        onServed: (session) => {
          this.#status.setReceiver(session)
          this.#staleness.fresh()
        },
        onLost: () => {
          this.#status.setReceiver(undefined)
          this.#staleness.lost()
        },
        onDelta: counted.onDelta,
        onAttempt: counted.onAttempt,
      },
    })
    live.status.onChanged(() => this.#status.changed())
    store.onRefusalsChanged(() => {
      this.#staleness.settingsChanged()
      this.#client.refusalsChanged()
    })
    this.#staleness.settingsChanged()
    this.#client.start()
  }

  ready(): Readiness {
    return this.#live.ready()
  }

  certificatesChanged(): void {
    this.#client.retryNow()
    this.#status.changed()
  }

  async drain(limitMs?: number): Promise<void> {
    await this.#leave()
    await this.#live.drain(limitMs)
    await this.#store.close()
  }

  async stop(): Promise<void> {
    await this.#leave()
    await this.#live.stop()
    await this.#store.close()
  }

  killServers(): void {
    this.#live.killServers()
  }

  /** Nothing is changed any more, and nothing told. */
  #leave(): Promise<void> {
    this.#left ??= (async () => {
      await this.#client.stop()
      this.#staleness.stop()
      this.#status.setReceiver(undefined)
      this.#unobserve()
    })()
    return this.#left
  }
}
