import type { Clock } from '@causeway/kube'
import { KIND_NAMES, type Place } from '@causeway/mesh-api'
import type { RelayIdentity, ServedConfigStream } from '@causeway/rpc'
import type { Logger, Metrics, Readiness } from '@causeway/telemetry'
import { ConfigServer } from './config-server/config-server.ts'
import { Relister } from './config-server/relister.ts'
import { STREAM_TIMING, type StreamTiming } from './config-server/timing.ts'
import { Configuration } from './snapshot/configuration.ts'
import { STANDING_STATES } from './snapshot/object-state.ts'
import type { Source, SourceChange, SourceObserver } from './sources/source.ts'
import { StatusAggregator, type StatusTiming } from './status/aggregator.ts'
import type { InstanceSink } from './status/instance.ts'
import { InstanceTable } from './status/instance-table.ts'
import type { StatusSink } from './status/object-status.ts'

export interface ControlPlaneOptions {
  readonly place: Place
  /** The namespace of the installation, whose policies bind every relay. Undefined: without Kubernetes. */
  readonly installationNamespace: string | undefined
  /** Objects that another installation has accepted are not ours. Undefined: there are no others. */
  readonly installation: string | undefined
  /** What an instance is called in status. */
  readonly label: (relay: string, ordinal: number) => string
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly timing?: Partial<StreamTiming>
}

/** Objects in, configuration of relays out, and what their instances say back. */
export class ControlPlane {
  readonly configuration: Configuration
  /** The instances that have a stream here. */
  readonly instances = new InstanceTable()
  readonly #options: ControlPlaneOptions
  readonly #server: ConfigServer
  readonly #ended = new AbortController()
  #source: Source | undefined
  #relister: Relister | undefined
  #aggregator: StatusAggregator | undefined
  #isSynced = false
  #isClosed = false

  constructor(options: ControlPlaneOptions) {
    this.#options = options
    this.configuration = new Configuration(options)
    this.#server = new ConfigServer({
      ...options,
      configuration: this.configuration,
      list: (relay) => this.#list(relay),
      instances: this.instances,
      timing: { ...STREAM_TIMING, ...options.timing },
    })
  }

  /** Opens where objects come from; it is closed with the control plane. Once. */
  readFrom<Opened extends Source>(open: (observer: SourceObserver) => Opened): Opened {
    const source = open({ changed: (change) => this.#changed(change), synced: () => this.#synced() })
    this.#source = source
    this.#relister = new Relister(source, this.#options.clock, this.#ended.signal)
    return source
  }

  /** Serves one stream of a relay instance; for a gRPC server, or the channel within a process. */
  readonly serve = (identity: RelayIdentity, stream: ServedConfigStream): Promise<void> =>
    this.#server.serve(identity, stream)

  ready(): Readiness {
    if (this.#isClosed) return { ok: false, reasons: ['it stops'] }
    return this.#isSynced ? { ok: true, reasons: [] } : { ok: false, reasons: ['not every kind has been listed yet'] }
  }

  /**
   * Says from now on what is true of every object, from what all instances say; answers where other replicas' reports go.
   * Once in a process.
   */
  lead(sink: StatusSink, timing: StatusTiming): InstanceSink {
    const { clock, label } = this.#options
    const { configuration } = this
    this.#aggregator = new StatusAggregator({ configuration, sink, clock, label, timing })
    this.instances.attach(this.#aggregator)
    return this.#aggregator
  }

  /** Asks the instances to move to another replica, and resolves when they have, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    this.#isClosed = true
    return this.#server.drain(withinMs)
  }

  /** Ends everything now. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#ended.abort()
    this.#server.close()
    this.#aggregator?.close()
    await this.#source?.close()
  }

  #list(relay: string): Promise<void> {
    return this.#relister?.list(relay) ?? Promise.reject(new TypeError('there is no source'))
  }

  #changed(change: SourceChange): void {
    const effects = this.configuration.apply(change)
    this.#server.changed(effects)
    this.#aggregator?.objectsChanged(effects.objects)
    this.#count()
  }

  #synced(): void {
    this.#isSynced = true
    this.#options.logger.info({ objects: this.configuration.objects.size }, 'every kind of object has been listed')
    this.#server.synced()
  }

  #count(): void {
    const { metrics } = this.#options
    for (const kind of KIND_NAMES) {
      for (const state of STANDING_STATES) {
        const count = this.configuration.count(kind, state)
        metrics.set('causeway_control_plane_objects', count, { kind, state: state.replace(' ', '_') })
      }
    }
  }
}
