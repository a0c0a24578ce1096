import type { Clock } from '@causeway/kube'
import type { BackendStatus, InstanceStatus, PeerStatus } from '@causeway/rpc'
import { type ObjectKey, objectKey, relayKey } from '../snapshot/object-key.ts'
import type { Concerned } from './concerned.ts'
import {
  type Acceptance,
  type InstanceChange,
  type InstanceName,
  type InstanceSink,
  instanceKey,
  isSameProcess,
} from './instance.ts'

/** CONTROL section 4: a silent instance leaves the count after this time. */
const SILENCE_MS = 60_000

interface Row {
  readonly instance: InstanceName
  readonly label: string
  readonly acceptances: Map<ObjectKey, Acceptance>
  status: InstanceStatus | undefined
  peers: ReadonlyMap<string, PeerStatus>
  backends: ReadonlyMap<string, BackendStatus>
  /** The replicas at which it has a stream: while it moves there are two, and who is left first is not said in order. */
  readonly at: Set<object>
  /** Running while it has none. */
  silence: unknown
  /** A process that looks older and has a stream too: it counts as soon as this one has none. */
  waiting: Row | undefined
}

export interface RosterOptions {
  readonly clock: Clock
  /** What an instance is called, as its pod is. */
  readonly label: (relay: string, ordinal: number) => string
  /** Something is different about the instances that these objects concern. */
  readonly onChanged: (objects: Iterable<ObjectKey>) => void
  /** An instance of this relay (`namespace/name`) has come, or has left the count. */
  readonly onCount: (relay: string) => void
}

/** All instances that are known of, wherever they have their stream, and what each said last. */
export class Roster implements InstanceSink {
  readonly #options: RosterOptions
  readonly #rows = new Map<string, Row>()
  readonly #byRelay = new Map<string, Set<Row>>()

  constructor(options: RosterOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#rows.size
  }

  changed(instance: InstanceName, { acceptances, status }: InstanceChange, by: object = this): void {
    const row = this.#row(instance, by)
    const objects = new Set<ObjectKey>(acceptances.keys())
    for (const [key, acceptance] of acceptances) {
      if (acceptance === undefined) row.acceptances.delete(key)
      else row.acceptances.set(key, acceptance)
    }
    if (status !== undefined) for (const key of this.#takeStatus(row, status)) objects.add(key)
    this.#options.onChanged(objects)
  }

  gone(instance: InstanceName, by: object = this): void {
    const row = this.#rows.get(instanceKey(instance))
    if (row === undefined) return
    if (!isSameProcess(row.instance, instance)) {
      leave(row, instance, by)
      return
    }
    row.at.delete(by)
    if (row.at.size > 0 || row.silence !== undefined) return
    if (row.waiting !== undefined) {
      this.#remove(row)
      this.#add(row.waiting)
      return
    }
    row.silence = this.#options.clock.setTimeout(() => this.#remove(row), SILENCE_MS)
    this.#options.onCount(relayOf(instance))
  }

  /** The instances of these relays (`namespace/name`), and what they say of an object. */
  concerned(key: ObjectKey, relays: readonly string[]): readonly Concerned[] {
    return relays.flatMap((relay) => [...(this.#byRelay.get(relay) ?? [])].map((row) => concernedBy(row, key)))
  }

  close(): void {
    for (const { silence } of this.#rows.values()) this.#options.clock.clearTimeout(silence)
    this.#rows.clear()
    this.#byRelay.clear()
  }

  #row(instance: InstanceName, by: object): Row {
    const found = this.#rows.get(instanceKey(instance))
    if (found !== undefined && isSameProcess(found.instance, instance)) {
      found.at.add(by)
      if (found.silence !== undefined) this.#heardAgain(found)
      return found
    }
    // A clock that was set back makes a newer process look older: what it is called counts only while both have a stream.
    if (found !== undefined && found.at.size > 0 && found.instance.bootId > instance.bootId) {
      const { waiting } = found
      const isKnown = waiting !== undefined && isSameProcess(waiting.instance, instance)
      const row = isKnown ? waiting : this.#newRow(instance)
      row.at.add(by)
      found.waiting = row
      return row
    }
    if (found !== undefined) this.#remove(found)
    const row = this.#newRow(instance)
    row.at.add(by)
    this.#add(row)
    return row
  }

  #newRow(instance: InstanceName): Row {
    return {
      instance,
      label: this.#options.label(instance.relay, instance.ordinal),
      acceptances: new Map(),
      status: undefined,
      peers: new Map(),
      backends: new Map(),
      at: new Set(),
      silence: undefined,
      waiting: undefined,
    }
  }

  #add(row: Row): void {
    this.#rows.set(instanceKey(row.instance), row)
    const relay = relayOf(row.instance)
    const others = this.#byRelay.get(relay)
    if (others === undefined) this.#byRelay.set(relay, new Set([row]))
    else others.add(row)
    this.#options.onCount(relay)
  }

  #heardAgain(row: Row): void {
    this.#options.clock.clearTimeout(row.silence)
    row.silence = undefined
    this.#options.onCount(relayOf(row.instance))
  }

  #remove(row: Row): void {
    this.#options.clock.clearTimeout(row.silence)
    const relay = relayOf(row.instance)
    this.#rows.delete(instanceKey(row.instance))
    const others = this.#byRelay.get(relay)
    others?.delete(row)
    if (others?.size === 0) this.#byRelay.delete(relay)
    this.#options.onCount(relay)
  }

  /** Answers the objects of which the instance says something else now. */
  #takeStatus(row: Row, status: InstanceStatus): readonly ObjectKey[] {
    const peers = new Map(status.peers.map((one) => [one.name, one]))
    const backends = new Map(status.backends.map((one) => [one.name, one]))
    const objects = [
      ...differing(row.peers, peers).map((name) => objectKey('MeshPeer', name)),
      ...differing(row.backends, backends).map((name) => objectKey('MeshBackend', name)),
      relayKey(relayOf(row.instance)),
    ]
    row.status = status
    row.peers = peers
    row.backends = backends
    return objects
  }
}

/** Of a process that waits, where it is one. */
function leave(row: Row, instance: InstanceName, by: object): void {
  const { waiting } = row
  if (waiting === undefined || !isSameProcess(waiting.instance, instance)) return
  waiting.at.delete(by)
  if (waiting.at.size === 0) row.waiting = undefined
}

function relayOf({ namespace, relay }: InstanceName): string {
  return `${namespace}/${relay}`
}

function concernedBy(
  { instance, label, acceptances, status, peers, backends, silence }: Row,
  key: ObjectKey,
): Concerned {
  const name = key.slice(key.indexOf(' ') + 1)
  return {
    instance,
    label,
    isConnected: silence === undefined,
    acceptance: acceptances.get(key),
    status,
    peer: key.startsWith('MeshPeer ') ? peers.get(name) : undefined,
    backend: key.startsWith('MeshBackend ') ? backends.get(name) : undefined,
  }
}

function differing<Status>(before: ReadonlyMap<string, Status>, after: ReadonlyMap<string, Status>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => printed(before.get(name)) !== printed(after.get(name)))
}

function printed(status: unknown): string {
  return JSON.stringify(status, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)) ?? ''
}
