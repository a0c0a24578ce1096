import { claimKey, claimsOf } from '../check/collisions.ts'
import type { Finding } from '../check/finding.ts'
import type { Labels } from '../check/grants.ts'
import { judge } from '../check/judge.ts'
import {
  compareNames,
  idOf,
  idOfKey,
  keyOf,
  nameOf,
  namespaceOf,
  type ObjectId,
  referredName,
} from '../check/object-id.ts'
import type { Place } from '../check/places.ts'
import { referencesOf } from '../check/references-of.ts'
import { boundRelays, permitted, type Surroundings } from '../check/surroundings.ts'
import type { AnyResource, ResourceOf } from '../kinds/all-kinds.ts'
import type { KindName } from '../kinds/kind.ts'
import { Claims } from './claims.ts'
import type { Closure, MeshChange, MeshEffect, MeshIndexOptions } from './contract.ts'
import { facetOf } from './facet.ts'
import { MultiMap } from './multi-map.ts'
import { compareIds, inOrder } from './order.ts'
import { PolicyTargets } from './policy-targets.ts'
import { Work } from './work.ts'

/**
 * A whole set of objects that is told its changes, and says what follows from each: whose verdict is another, and what is
 * to be sent to which relay. Pure, in memory; the work of a change grows with the objects that it concerns and not with
 * the set (CONTROL section 3). The verdicts are those that a fresh index of the same set would have.
 */
export class MeshIndex implements Surroundings {
  readonly place: Place
  readonly #objects = new Map<string, AnyResource>()
  readonly #declared = new Set<string>()
  readonly #labels = new Map<string, Labels>()
  readonly #byNamespace = new MultiMap<string, string>()
  /** From what is named, there or not, to those that name it. */
  readonly #users = new MultiMap<string, string>()
  /** Claims that count, and the names of those that make them; the claims and relays of an object as they were counted. */
  readonly #claims = new Claims()
  readonly #bindings = new Map<string, Binding>()
  readonly #members = new MultiMap<string, string>()
  readonly #findings = new Map<string, readonly Finding[]>()
  readonly #policies: PolicyTargets

  constructor({ place, installationNamespace }: MeshIndexOptions) {
    this.place = place
    this.#policies = new PolicyTargets(installationNamespace)
  }

  apply(change: MeshChange): MeshEffect {
    const work = new Work()
    for (const { name, labels } of change.namespaces?.upserts ?? []) this.#setLabels(name, labels, work)
    for (const name of change.namespaces?.removals ?? []) this.#setLabels(name, undefined, work)
    for (const id of change.removals ?? []) {
      this.#declare(keyOf(id), false, work)
      this.#replace(keyOf(id), undefined, work)
    }
    for (const id of change.declared ?? []) {
      this.#declare(keyOf(id), true, work)
      this.#replace(keyOf(id), undefined, work)
    }
    for (const object of change.upserts ?? []) {
      this.#declare(keyOf(idOf(object)), false, work)
      this.#replace(keyOf(idOf(object)), object, work)
    }
    for (const key of work.bound) this.#rebind(key, work)
    this.#judgeClaimants(work)
    const verdicts = [...work.judged].filter((key) => this.#judge(key, work))
    return { verdicts: verdicts.map(idOfKey), closures: work.closures() }
  }

  get<Kind extends KindName>(kind: Kind, name: string): ResourceOf<Kind> | undefined {
    return this.#objects.get(keyOf({ kind, name })) as ResourceOf<Kind> | undefined
  }

  isDeclared(id: ObjectId): boolean {
    return this.#declared.has(keyOf(id))
  }

  labelsOf(namespace: string): Labels {
    // Kubernetes gives every namespace this label, and without Kubernetes it is the only one.
    return { ...this.#labels.get(namespace), [NAMESPACE_LABEL]: namespace }
  }

  ownerOf(claim: string): string | undefined {
    return this.#claims.ownerOf(claim)
  }

  /** All that is wrong with an object because of what stands, or does not stand, beside it. */
  findingsOf(id: ObjectId): readonly Finding[] {
    return this.#findings.get(keyOf(id)) ?? []
  }

  /** What would be wrong with a version of an object if it stood in place of the one that is known. */
  judged(version: AnyResource): readonly Finding[] {
    return judge(version, this)
  }

  /** Who names an object, whether it is there or not; in order. */
  usersOf(id: ObjectId): readonly ObjectId[] {
    return inOrder([...this.#users.get(keyOf(id))].map(idOfKey))
  }

  /** `namespace/name` of the relays in whose closure an object is, besides those that its policies and anchors are in. */
  relaysOf(id: ObjectId): readonly string[] {
    return [...(this.#bindings.get(keyOf(id))?.relays ?? [])].sort(compareNames)
  }

  /** Every object, in the order of kinds and names. */
  all(): readonly AnyResource[] {
    return [...this.#objects.values()].sort((a, b) => compareIds(idOf(a), idOf(b)))
  }

  /** What a relay, `namespace/name`, is sent; undefined where there is none. Refused objects are in it. */
  closureOf(name: string): Closure | undefined {
    const relay = this.get('MeshRelay', name)
    if (relay === undefined) return undefined
    const members = inOrder([...this.#members.get(name)].map(idOfKey)).flatMap(
      (id) => this.#objects.get(keyOf(id)) ?? [],
    )
    const peers = members.filter((object) => object.kind === 'MeshPeer')
    const anchors = new Set(peers.flatMap((peer) => this.#anchorsOf(peer)))
    const policies = new Set([relay, ...members].flatMap((object) => this.#policies.of(object)))
    return {
      relay,
      peers,
      backends: members.filter((object) => object.kind === 'MeshBackend'),
      routes: members.filter((object) => object.kind === 'MeshRoute'),
      records: members.filter((object) => object.kind === 'DiscoveryRecord'),
      policies: [...policies].sort(byName),
      anchors: [...anchors].sort(byName),
    }
  }

  #setLabels(namespace: string, labels: Labels | undefined, work: Work): void {
    if (sameJson(this.#labels.get(namespace), labels)) return
    if (labels === undefined) this.#labels.delete(namespace)
    else this.#labels.set(namespace, labels)
    for (const key of this.#byNamespace.get(namespace)) {
      work.bound.add(key)
      work.judged.add(key)
      for (const user of this.#users.get(key)) work.judged.add(user)
    }
  }

  #declare(key: string, isDeclared: boolean, work: Work): void {
    if (this.#declared.has(key) === isDeclared) return
    if (isDeclared) this.#declared.add(key)
    else this.#declared.delete(key)
    for (const user of this.#users.get(key)) work.judged.add(user)
  }

  /** Puts an object in the place of the one of that name, or of none. */
  #replace(key: string, object: AnyResource | undefined, work: Work): void {
    const before = this.#objects.get(key)
    if (before === undefined && object === undefined) return
    this.#touchPolicies(before, object, work)
    this.#touchClosures(key, work)
    if (before !== undefined) for (const { to } of referencesOf(before)) this.#users.delete(keyOf(to), key)
    if (object === undefined) {
      this.#objects.delete(key)
      this.#byNamespace.delete(namespaceOf(idOfKey(key).name), key)
    } else {
      this.#objects.set(key, object)
      this.#byNamespace.add(object.metadata.namespace, key)
      for (const { to } of referencesOf(object)) this.#users.add(keyOf(to), key)
    }
    work.judged.add(key)
    work.bound.add(key)
    if (sameJson(before && facetOf(before), object && facetOf(object))) return
    for (const user of this.#users.get(key)) {
      work.judged.add(user)
      if (idOfKey(key).kind === 'MeshRelay') work.bound.add(user)
    }
  }

  /** Counts anew on which relays an object is, what it claims there and what comes with it. */
  #rebind(key: string, work: Work): void {
    const object = this.#objects.get(key)
    const before = this.#bindings.get(key) ?? NOTHING
    const after = object === undefined ? NOTHING : this.#bindingOf(object)
    if (object === undefined) this.#bindings.delete(key)
    else this.#bindings.set(key, after)
    const { kind, name } = idOfKey(key)
    const note = (claim: string) => {
      if (!work.claims.has(claim)) work.claims.set(claim, { kind, owner: this.#claims.ownerOf(claim) })
    }
    for (const claim of minus(before.claims, after.claims)) {
      note(claim)
      this.#claims.delete(claim, name)
    }
    for (const claim of minus(after.claims, before.claims)) {
      note(claim)
      this.#claims.add(claim, name)
    }
    for (const relay of minus(before.relays, after.relays)) {
      this.#members.delete(relay, key)
      work.touch(relay, [key, ...before.attached])
    }
    for (const relay of minus(after.relays, before.relays)) {
      this.#members.add(relay, key)
      work.touch(relay, [key, ...after.attached])
    }
    const attached = [...minus(before.attached, after.attached), ...minus(after.attached, before.attached)]
    for (const relay of attached.length === 0 ? [] : after.relays) work.touch(relay, attached)
  }

  #bindingOf(object: AnyResource): Binding {
    const relays = boundRelays(this, object)
    const claims = claimsOf(object).flatMap((claim) => relays.map((relay) => claimKey(claim, relay)))
    const attached = [...this.#policies.of(object), ...this.#anchorsOf(object)]
    return {
      relays: new Set(relays),
      claims: new Set(claims),
      attached: new Set(attached.map((one) => keyOf(idOf(one)))),
    }
  }

  /** Where a claim has another owner than before the change, all that make it are judged. */
  #judgeClaimants({ claims, judged }: Work): void {
    for (const [claim, { kind, owner }] of claims) {
      if (this.#claims.ownerOf(claim) === owner) continue
      for (const name of this.#claims.claimantsOf(claim)) judged.add(keyOf({ kind, name }))
    }
  }

  /** Whether the verdict is another than before. */
  #judge(key: string, work: Work): boolean {
    const object = this.#objects.get(key)
    const before = this.#findings.get(key) ?? []
    const after = object === undefined ? [] : judge(object, this)
    if (after.length === 0) this.#findings.delete(key)
    else this.#findings.set(key, after)
    if (sameJson(before.map(withoutObject), after.map(withoutObject))) return false
    for (const relay of this.#bindings.get(key)?.relays ?? []) work.touch(relay, [key])
    return true
  }

  /** The closures that an object is in are others when it is; so are those of the peers whose anchor it is. */
  #touchClosures(key: string, work: Work): void {
    for (const relay of this.#bindings.get(key)?.relays ?? []) work.touch(relay, [key])
    if (idOfKey(key).kind !== 'TrustAnchor') return
    for (const user of this.#users.get(key)) {
      work.bound.add(user)
      for (const relay of this.#bindings.get(user)?.relays ?? []) work.touch(relay, [key, user])
    }
  }

  /** A policy is in the closures of what it is for. */
  #touchPolicies(before: AnyResource | undefined, after: AnyResource | undefined, work: Work): void {
    for (const policy of [before, after]) {
      if (policy?.kind !== 'SafetyPolicy') continue
      for (const target of this.#policies.targetsOf(policy, this.#objects.values())) {
        work.bound.add(target)
        for (const relay of this.#bindings.get(target)?.relays ?? []) work.touch(relay, [keyOf(idOf(policy))])
      }
    }
    if (before?.kind === 'SafetyPolicy') this.#policies.delete(before)
    if (after?.kind === 'SafetyPolicy') this.#policies.set(after)
  }

  /** The anchors that an object of a closure uses. */
  #anchorsOf(object: AnyResource): ResourceOf<'TrustAnchor'>[] {
    if (object.kind !== 'MeshPeer' || object.spec.trustAnchorRef === undefined) return []
    const name = referredName(object, object.spec.trustAnchorRef)
    return [permitted(this, 'TrustAnchor', name, object.metadata.namespace)].filter((anchor) => anchor !== undefined)
  }
}

const NAMESPACE_LABEL = 'kubernetes.io/metadata.name'

interface Binding {
  /** In whose closures the object is. */
  readonly relays: ReadonlySet<string>
  readonly claims: ReadonlySet<string>
  /** Policies that are for it, and anchors that it uses. */
  readonly attached: ReadonlySet<string>
}

const NOTHING: Binding = { relays: new Set(), claims: new Set(), attached: new Set() }

function minus(all: ReadonlySet<string>, without: ReadonlySet<string>): string[] {
  return [...all].filter((one) => !without.has(one))
}

function byName(a: AnyResource, b: AnyResource): number {
  return compareNames(nameOf(a.metadata), nameOf(b.metadata))
}

function withoutObject({ object: _, ...finding }: Finding): Omit<Finding, 'object'> {
  return finding
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
