import { type KindName, type MeshBackend, type MeshChange, MeshIndex, type Place } from '@causeway/mesh-api'
import { resolve } from '../resolve/resolve.ts'
import { Withheld } from '../resolve/withheld.ts'
import type { InvalidObject, RelayIdentityStatus, SourceChange, SourceObject } from '../sources/source.ts'
import { Dependents } from './dependents.ts'
import { type Effects, EffectsBuilder } from './effects.ts'
import { inForce, LastGood, mayPass } from './last-good.ts'
import { type ObjectKey, objectIdOf, objectKey, relayKey } from './object-key.ts'
import { isKept, type Kept, type ObjectState, type Placement, type Standing } from './object-state.ts'
import { placementOf, relaysOf } from './placement.ts'
import { Positions } from './positions.ts'
import type { EncodedResource } from './resource.ts'

export interface ConfigurationOptions {
  readonly place: Place
  /** The namespace of the installation, whose policies bind every relay. Undefined: without Kubernetes. */
  readonly installationNamespace: string | undefined
  /** Objects that another installation has accepted are not ours (CONTROL section 1). Undefined: there are no others. */
  readonly installation: string | undefined
}

/** What is known of one object. */
interface Entry {
  /** The last version that was valid. */
  readonly object: SourceObject | undefined
  /** What is stored now, where that is not valid. */
  readonly invalid: InvalidObject | undefined
}

/**
 * All objects, and what each relay is to have of them. A change costs as much as it concerns, however many objects there
 * are.
 */
export class Configuration {
  readonly #index: MeshIndex
  readonly #installation: string | undefined
  readonly #entries = new Map<ObjectKey, Entry>()
  readonly #states = new Map<ObjectKey, ObjectState>()
  readonly #snapshots = new Map<string, Map<ObjectKey, EncodedResource>>()
  readonly #positions = new Positions()
  readonly #dependents: Dependents
  readonly #lastGood = new LastGood()
  /** `kind state` -> how many objects. */
  readonly #counts = new Map<string, number>()

  constructor({ place, installationNamespace, installation }: ConfigurationOptions) {
    this.#index = new MeshIndex({ place, ...(installationNamespace === undefined ? {} : { installationNamespace }) })
    this.#installation = installation
    this.#dependents = new Dependents({
      relayIdentity: (relay) => this.relayIdentity(relay),
      backend: (name) => this.#backend(name),
    })
  }

  get positions(): Pick<Positions, 'read' | 'changed'> {
    return this.#positions
  }

  get objects(): ReadonlyMap<ObjectKey, ObjectState> {
    return this.#states
  }

  state(key: ObjectKey): ObjectState | undefined {
    return this.#states.get(key)
  }

  /** The last valid version of an object. */
  object(key: ObjectKey): SourceObject | undefined {
    return this.#entries.get(key)?.object
  }

  /** What a relay is to have: its closure (CONTROL section 1). */
  snapshot(relay: string): ReadonlyMap<ObjectKey, EncodedResource> {
    return this.#snapshots.get(relay) ?? NOTHING
  }

  /** Whatever an instance of the relay (`namespace/name`) has of this resource, it keeps. */
  isKept(key: ObjectKey, relay: string): boolean {
    const state = this.#states.get(key)
    return state !== undefined && isKept(state, relay)
  }

  relayIdentity(relay: string): RelayIdentityStatus | undefined {
    return this.#entries.get(relayKey(relay))?.object?.status.identity
  }

  count(kind: KindName, state: Standing['state']): number {
    return this.#counts.get(`${kind} ${state}`) ?? 0
  }

  apply(change: SourceChange): Effects {
    this.#positions.advance(change.positions, kindsOf(change))
    const dirty = this.#store(change)
    for (const { kind, name } of this.#index.apply(this.#meshChange(change)).verdicts) dirty.add(objectKey(kind, name))
    for (const key of [...this.#lastGood.concernedBy(change, [...dirty])]) dirty.add(key)
    for (const key of [...dirty]) for (const user of this.#dependents.usersOf(key)) dirty.add(user)
    const effects = new EffectsBuilder()
    for (const key of dirty) this.#renew(key, effects)
    return effects
  }

  #store({ upserts, removals, invalid }: SourceChange): Set<ObjectKey> {
    const dirty = new Set<ObjectKey>()
    const set = (key: ObjectKey, entry: Entry): void => {
      this.#entries.set(key, entry)
      dirty.add(key)
    }
    for (const { kind, name } of removals) {
      this.#entries.delete(objectKey(kind, name))
      dirty.add(objectKey(kind, name))
    }
    for (const object of upserts) set(keyOf(object), { object, invalid: undefined })
    for (const one of invalid) {
      const key = objectKey(one.kind, one.name)
      const last = this.#entries.get(key)?.object
      // Deleted and made again, between two looks: the last good version was of another object.
      set(key, { object: last?.uid === one.uid ? last : undefined, invalid: one })
    }
    return dirty
  }

  /** Of what is not valid the last good version counts on; where there is none, nobody is blamed for naming it. */
  #meshChange({ upserts, removals, invalid, namespaces }: SourceChange): MeshChange {
    const declared = invalid.filter(({ kind, name }) => this.#entries.get(objectKey(kind, name))?.object === undefined)
    return {
      upserts: upserts.map(({ resource }) => resource),
      removals,
      declared,
      ...(namespaces === undefined ? {} : { namespaces }),
    }
  }

  #renew(key: ObjectKey, effects: EffectsBuilder): void {
    const before = this.#states.get(key)
    const after = this.#stateOf(key, before)
    if (after === undefined) {
      this.#states.delete(key)
      this.#dependents.forget(key)
    } else this.#states.set(key, after)
    this.#recount(key, before, -1)
    this.#recount(key, after, 1)
    const isCurrent = after?.placed?.from === this.object(key)?.resource
    this.#lastGood.set(key, isCurrent ? undefined : after?.placed?.from)
    if (before !== undefined || after !== undefined) effects.objects.add(key)
    this.#place(key, before?.placed, after?.placed, effects)
    if (mayBeHeldUnknown(before, after)) effects.everywhere.add(key)
  }

  #stateOf(key: ObjectKey, before: ObjectState | undefined): ObjectState | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const { object, invalid } = entry
    const current = invalid ?? object
    if (current === undefined) return undefined
    const { uid, generation } = current
    const known = before?.uid === uid ? before : undefined
    if (object === undefined) return { uid, generation, ...invalidState(invalid), ...unreadable(known?.placed) }
    // What others forbid of the last good version goes, also where what is stored now is not valid.
    const state = this.#judgedState(key, object, known)
    return { uid, generation, ...state, ...(invalid === undefined ? {} : invalidState(invalid)) }
  }

  #judgedState(
    key: ObjectKey,
    object: SourceObject,
    known: ObjectState | undefined,
  ): Pick<ObjectState, 'standing' | 'placed' | 'kept'> {
    const { controller } = object.status
    if (this.#installation !== undefined && controller !== undefined && controller !== this.#installation) {
      return { standing: { state: 'foreign', controller }, ...GONE }
    }
    const findings = this.#index.findingsOf(objectIdOf(key))
    const last = known?.placed
    const stays = (): Placement | undefined => inForce(last, object.resource, (version) => this.#index.judged(version))
    if (findings.length > 0) {
      const placed = mayPass(findings) ? stays() : undefined
      return { standing: { state: 'refused', findings }, placed, kept: NOWHERE }
    }
    const resolved = this.#dependents.tracked(key, (lookup) => resolve(object, lookup))
    if (resolved === 'not delivered') return { standing: { state: 'not delivered' }, ...GONE }
    const made = 'withheld' in resolved ? resolved.withheld : placementOf(object, resolved.ir, last)
    if (!(made instanceof Withheld)) return { standing: { state: 'delivered' }, placed: made, kept: NOWHERE }
    const placed = stays()
    const kept = last === undefined && !wasTaken(known) ? relaysOf(object.resource) : NOWHERE
    return { standing: { state: 'withheld', withheld: made }, placed, kept }
  }

  #place(key: ObjectKey, before: Placement | undefined, after: Placement | undefined, effects: EffectsBuilder): void {
    if (before === after) return
    for (const relay of before?.relays ?? []) {
      if (after?.relays.includes(relay) === true) continue
      const snapshot = this.#snapshots.get(relay)
      snapshot?.delete(key)
      if (snapshot?.size === 0) this.#snapshots.delete(relay)
      effects.relay(relay, key)
    }
    if (after === undefined) return
    for (const relay of after.relays) {
      const snapshot = this.#snapshots.get(relay)
      if (snapshot?.get(key)?.versionHex === after.resource.versionHex) continue
      if (snapshot === undefined) this.#snapshots.set(relay, new Map([[key, after.resource]]))
      else snapshot.set(key, after.resource)
      effects.relay(relay, key)
    }
  }

  #recount(key: ObjectKey, state: ObjectState | undefined, by: 1 | -1): void {
    if (state === undefined) return
    const counted = `${objectIdOf(key).kind} ${state.standing.state}`
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + by)
  }

  #backend(name: string): MeshBackend | undefined {
    const resource = this.#entries.get(objectKey('MeshBackend', name))?.object?.resource
    return resource?.kind === 'MeshBackend' ? resource : undefined
  }
}

const NOTHING: ReadonlyMap<ObjectKey, EncodedResource> = new Map()
const NOWHERE: Kept = []
const GONE = { placed: undefined, kept: NOWHERE } as const

/** The last good version has been taken from relays, and whoever was away meanwhile is to have it no more either. */
function wasTaken(known: ObjectState | undefined): boolean {
  return known?.standing.state === 'withheld' && known.placed === undefined && known.kept.length === 0
}

/** Nothing of what is stored can be read: the last good version stays where it is, and what instances have else too. */
function unreadable(last: Placement | undefined): Pick<ObjectState, 'placed' | 'kept'> {
  return { placed: last, kept: last === undefined ? 'everywhere' : NOWHERE }
}

/** Whether instances may hold what no snapshot says of them, and are to have it no more. */
function mayBeHeldUnknown(before: ObjectState | undefined, after: ObjectState | undefined): boolean {
  if (after?.kept === 'everywhere') return false
  if (before === undefined) return after !== undefined && after.placed === undefined && after.kept.length === 0
  return before.kept === 'everywhere' || before.kept.some((relay) => after === undefined || !isKept(after, relay))
}

/** Those of which something is different. */
function kindsOf({ upserts, removals, invalid }: SourceChange): ReadonlySet<KindName> {
  return new Set([
    ...upserts.map(({ resource }) => resource.kind),
    ...[...removals, ...invalid].map(({ kind }) => kind),
  ])
}

function keyOf({ resource: { kind, metadata } }: SourceObject): ObjectKey {
  return objectKey(kind, `${metadata.namespace}/${metadata.name}`)
}

function invalidState(invalid: InvalidObject | undefined): Pick<ObjectState, 'standing'> {
  return { standing: { state: 'invalid', problems: invalid?.problems ?? [] } }
}
