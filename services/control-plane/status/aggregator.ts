import { createHash } from 'node:crypto'
import type { Clock } from '@causeway/kube'
import type { Configuration } from '../snapshot/configuration.ts'
import { type ObjectKey, objectIdOf, relayKey } from '../snapshot/object-key.ts'
import type { ObjectState } from '../snapshot/object-state.ts'
import { collectingConditions, conditionsOf } from './conditions/conditions-of.ts'
import { EXPIRING_MS, earliestEndMs } from './conditions/peer.ts'
import { IdentityEnds } from './identity-ends.ts'
import type { InstanceChange, InstanceName, InstanceSink } from './instance.ts'
import type { ObjectStatus, StatusSink } from './object-status.ts'
import { Roster } from './roster.ts'
import { rowsOf } from './rows.ts'

export interface AggregatorOptions {
  readonly configuration: Pick<Configuration, 'state' | 'snapshot' | 'objects'>
  readonly sink: StatusSink
  readonly clock: Clock
  readonly label: (relay: string, ordinal: number) => string
  readonly timing: StatusTiming
}

/** In milliseconds. */
export interface StatusTiming {
  /** CONTROL section 4: for so long after taking over nothing is written from partial knowledge. 0: alone from the start. */
  readonly collectingMs: number
  /** What happens within this time is told together. */
  readonly settleMs: number
  /** So long an answer of an instance is waited for before it is told that it is awaited. */
  readonly pendingMs: number
}

export const STATUS_TIMING: StatusTiming = { collectingMs: 10_000, settleMs: 250, pendingMs: 2_000 }

/**
 * What all instances say, object by object. Costs what has changed, and the instances that it concerns; what has been told
 * is not told again.
 */
export class StatusAggregator implements InstanceSink {
  readonly #options: AggregatorOptions
  readonly #roster: Roster
  /** What may have to be told, and since when. */
  readonly #dirty = new Map<ObjectKey, number>()
  /** Digests of what was told last. */
  readonly #told = new Map<ObjectKey, string>()
  /** Monotonic; while collecting. */
  readonly #collectingUntilMs: number
  /** Objects that have changed while collecting: of them it is said that it is collected. */
  readonly #toldCollecting = new Set<ObjectKey>()
  readonly #ends: IdentityEnds
  #timer: unknown

  constructor(options: AggregatorOptions) {
    this.#options = options
    const { clock, label, timing, configuration } = options
    this.#collectingUntilMs = clock.now() + timing.collectingMs
    this.#ends = new IdentityEnds(clock, EXPIRING_MS, (keys) => this.#mark(keys))
    this.#roster = new Roster({
      clock,
      label,
      onChanged: (objects) => this.#mark(objects),
      onCount: (relay) => this.#mark([relayKey(relay), ...configuration.snapshot(relay).keys()]),
    })
    this.#mark(configuration.objects.keys())
  }

  /** Of objects, as the configuration says. */
  objectsChanged(keys: Iterable<ObjectKey>): void {
    const changed = [...keys]
    if (this.#isCollecting) for (const key of changed) this.#toldCollecting.add(key)
    this.#mark(changed)
  }

  changed(instance: InstanceName, change: InstanceChange, by?: object): void {
    this.#roster.changed(instance, change, by)
  }

  gone(instance: InstanceName, by?: object): void {
    this.#roster.gone(instance, by)
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#roster.close()
    this.#ends.close()
    this.#dirty.clear()
  }

  get #isCollecting(): boolean {
    return this.#options.clock.now() < this.#collectingUntilMs
  }

  #mark(keys: Iterable<ObjectKey>): void {
    const nowMs = this.#options.clock.now()
    for (const key of keys) if (!this.#dirty.has(key)) this.#dirty.set(key, nowMs)
    if (this.#dirty.size > 0) this.#schedule(this.#options.timing.settleMs)
  }

  #schedule(ms: number): void {
    const { clock } = this.#options
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, ms)
  }

  #flush(): void {
    const { timing } = this.#options
    for (const [key, sinceMs] of [...this.#dirty]) {
      if (this.#isCollecting) this.#tellCollecting(key)
      else if (this.#tell(key, sinceMs)) this.#dirty.delete(key)
    }
    if (!this.#isCollecting) this.#toldCollecting.clear()
    if (this.#dirty.size > 0) this.#schedule(timing.settleMs)
  }

  #tellCollecting(key: ObjectKey): void {
    if (!this.#toldCollecting.delete(key)) return
    const state = this.#options.configuration.state(key)
    if (state === undefined) {
      this.#forget(key)
      return
    }
    const { kind, name } = objectIdOf(key)
    this.#write(key, {
      kind,
      name,
      uid: state.uid,
      conditions: collectingConditions(kind, state),
      relays: [],
      relayCount: 0,
    })
  }

  /** False: it is too early to tell. */
  #tell(key: ObjectKey, sinceMs: number): boolean {
    const { configuration, clock, timing } = this.#options
    const state = configuration.state(key)
    if (state === undefined || state.standing.state === 'foreign') {
      this.#forget(key)
      return true
    }
    const status = this.#statusOf(key, state)
    const isPending = status.conditions.some(({ reason }) => reason === 'Pending')
    if (isPending && clock.now() - sinceMs < timing.pendingMs) return false
    this.#write(key, status)
    return true
  }

  #statusOf(key: ObjectKey, state: ObjectState): ObjectStatus {
    const { kind, name } = objectIdOf(key)
    const nowMs = this.#options.clock.wallNow()
    const concerned = this.#roster.concerned(key, state.placed?.relays ?? [])
    if (kind === 'MeshPeer') this.#ends.set(key, earliestEndMs(concerned))
    return {
      kind,
      name,
      uid: state.uid,
      conditions: conditionsOf(kind, { state, concerned, nowMs }),
      relays: rowsOf(kind, state, concerned),
      relayCount: concerned.length,
    }
  }

  #write(key: ObjectKey, status: ObjectStatus): void {
    const digest = createHash('sha256').update(JSON.stringify(status)).digest('base64')
    if (this.#told.get(key) === digest) return
    this.#told.set(key, digest)
    this.#options.sink.write(status)
  }

  #forget(key: ObjectKey): void {
    this.#ends.set(key, undefined)
    this.#told.delete(key)
    const { kind, name } = objectIdOf(key)
    this.#options.sink.forget(kind, name)
  }
}
