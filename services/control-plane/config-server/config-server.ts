import type { Clock } from '@causeway/kube'
import { ReconnectReason, type RelayIdentity, RpcError, type ServedConfigStream } from '@causeway/rpc'
import type { Logger, Metrics } from '@causeway/telemetry'
import type { Configuration } from '../snapshot/configuration.ts'
import type { Effects } from '../snapshot/effects.ts'
import { type ObjectKey, relayKey } from '../snapshot/object-key.ts'
import { instanceKey } from '../status/instance.ts'
import type { InstanceTable } from '../status/instance-table.ts'
import { admitted, helloOf } from './admission.ts'
import type { DeliveryView } from './delivery.ts'
import { InstanceStream } from './instance-stream.ts'
import { ServerMetrics } from './server-metrics.ts'
import { StreamAge } from './stream-age.ts'
import type { StreamTiming } from './timing.ts'

export interface ConfigServerOptions {
  readonly configuration: Configuration
  /** Lists everything anew for a relay (`namespace/name`), consistently. Rejects only when everything ends. */
  readonly list: (relay: string) => Promise<void>
  readonly instances: InstanceTable
  readonly timing: StreamTiming
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Serves relay instances: who may have a stream, and which of several of one instance counts. */
export class ConfigServer {
  readonly #options: ConfigServerOptions
  readonly #metrics: ServerMetrics
  /** `namespace/name` of a relay -> its streams. */
  readonly #byRelay = new Map<string, Set<InstanceStream>>()
  /** The stream that counts, of each instance. */
  readonly #current = new Map<string, InstanceStream>()
  readonly #synced: Promise<void>
  #resolveSynced: () => void = () => {}
  #isDraining = false

  constructor(options: ConfigServerOptions) {
    this.#options = options
    this.#metrics = new ServerMetrics(options.metrics)
    this.#synced = new Promise((resolve) => {
      this.#resolveSynced = resolve
    })
  }

  get streamCount(): number {
    return this.#current.size
  }

  /** Every kind has been listed once: nothing is served before (CONTROL section 3). */
  synced(): void {
    this.#resolveSynced()
  }

  /** The configuration has changed. */
  changed({ relays, everywhere, objects }: Effects): void {
    for (const key of objects) if (key.startsWith(RELAY_PREFIX)) this.#relayChanged(key)
    for (const [relay, keys] of relays) for (const stream of this.#byRelay.get(relay) ?? []) stream.changed(keys)
    if (everywhere.size === 0) return
    for (const streams of this.#byRelay.values()) for (const stream of streams) stream.changed(everywhere)
  }

  /** Serves one stream; resolves when it is over. Rejects with RpcError where it is refused. */
  async serve(identity: RelayIdentity, stream: ServedConfigStream): Promise<void> {
    const { configuration, clock, timing } = this.#options
    if (this.#isDraining) throw new RpcError('UNAVAILABLE', 'this control plane stops')
    const messages = stream.received[Symbol.asyncIterator]()
    const late = clock.setTimeout(() => stream.fail(new RpcError('DEADLINE_EXCEEDED', 'no Hello came')), timing.helloMs)
    const hello = await helloOf(messages).finally(() => clock.clearTimeout(late))
    await Promise.race([this.#synced, stream.closed])
    const name = `${identity.namespace}/${identity.relay}`
    const instance = this.#admit(() => admitted(identity, hello, configuration.state(relayKey(name))?.uid))
    const served = new InstanceStream({
      ...this.#options,
      list: () => this.#options.list(name),
      instance,
      stream,
      hello,
      view: this.#viewOf(name),
      onServing: () => this.#serving(served),
      metrics: this.#metrics,
    })
    this.#add(served, name)
    const age = new StreamAge({ ...this.#options, endsAtMs: identity.certificateEndsAtMs, stream: served })
    try {
      served.start()
      for (let next = await messages.next(); next.done !== true; next = await messages.next()) served.take(next.value)
      stream.end()
    } catch (error) {
      // The far side's ends of streams are no faults of ours.
      if (!(error instanceof RpcError)) throw error
    } finally {
      age.close()
      this.#remove(served, name)
    }
  }

  /** Asks every instance to move to another replica, and resolves when all have gone, or after `withinMs`. */
  async drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const streams = [...this.#byRelay.values()].flatMap((some) => [...some])
    for (const stream of streams) stream.askToMove(ReconnectReason.SHUTDOWN, withinMs)
    await Promise.all(streams.map((stream) => stream.closed))
  }

  /** Ends every stream now. */
  close(): void {
    this.#isDraining = true
    for (const streams of this.#byRelay.values()) {
      for (const stream of [...streams]) stream.fail(new RpcError('UNAVAILABLE', 'this control plane stops'))
    }
  }

  #admit<Admitted>(admit: () => Admitted): Admitted {
    try {
      const instance = admit()
      this.#metrics.greeted('opened')
      return instance
    } catch (error) {
      this.#metrics.greeted('refused')
      throw error
    }
  }

  #viewOf(relay: string): DeliveryView {
    const { configuration } = this.#options
    return {
      relay,
      get snapshot() {
        return configuration.snapshot(relay)
      },
      get positions() {
        return configuration.positions
      },
      isKept: (key) => configuration.isKept(key, relay),
    }
  }

  #add(stream: InstanceStream, relay: string): void {
    const key = instanceKey(stream.instance)
    const other = this.#current.get(key)
    if (other !== undefined && other.instance.bootId > stream.instance.bootId) {
      throw new RpcError('ALREADY_EXISTS', 'a newer process of this instance has a stream')
    }
    const streams = this.#byRelay.get(relay) ?? new Set()
    const octets = [...streams].reduce((sum, one) => sum + one.foreignOctets, stream.foreignOctets)
    if (octets > MAX_FOREIGN_OCTETS) {
      throw new RpcError(
        'RESOURCE_EXHAUSTED',
        'instances of this relay say that they have too much that it is not to have',
      )
    }
    this.#current.set(key, stream)
    // Of one process two streams are enough: the last one, and the one that it takes over from.
    for (const older of this.#othersOf(stream, relay)) if (older !== other) older.end()
    this.#byRelay.set(relay, streams.add(stream))
    this.#metrics.open(this.#current.size)
    if (other === undefined) return
    if (other.instance.bootId === stream.instance.bootId) other.supersede()
    // CONTROL section 2: a newer boot id replaces the older stream.
    else other.fail(new RpcError('ABORTED', 'a newer process of this instance has a stream'))
  }

  /** It has had its first Delta: an older stream of the same process has nothing left to do. */
  #serving(stream: InstanceStream): void {
    const { namespace, relay } = stream.instance
    for (const other of this.#othersOf(stream, `${namespace}/${relay}`)) other.end()
  }

  #othersOf(stream: InstanceStream, relay: string): readonly InstanceStream[] {
    const key = instanceKey(stream.instance)
    const streams = [...(this.#byRelay.get(relay) ?? [])]
    return streams.filter((other) => other !== stream && instanceKey(other.instance) === key)
  }

  #remove(stream: InstanceStream, relay: string): void {
    stream.close()
    const streams = this.#byRelay.get(relay)
    streams?.delete(stream)
    if (streams?.size === 0) this.#byRelay.delete(relay)
    const key = instanceKey(stream.instance)
    if (this.#current.get(key) === stream) {
      this.#current.delete(key)
      this.#options.instances.gone(stream.instance)
    }
    this.#metrics.open(this.#current.size)
  }

  /** CONTROL section 2: a deleted or re-created MeshRelay ends the streams of the old UID. */
  #relayChanged(key: ObjectKey): void {
    const uid = this.#options.configuration.state(key)?.uid
    for (const stream of [...(this.#byRelay.get(key.slice(RELAY_PREFIX.length)) ?? [])]) {
      if (stream.instance.relayUid !== uid) {
        stream.fail(new RpcError('PERMISSION_DENIED', 'this relay is not served here'))
      }
    }
  }
}

/**
 * For what instances of one relay say that they have and are not to have, until they have given it back. Sixty instances
 * with ten thousand resources of which a control plane knows nothing any more come to less.
 */
const MAX_FOREIGN_OCTETS = 64 * 1024 * 1024
const RELAY_PREFIX = relayKey('')
