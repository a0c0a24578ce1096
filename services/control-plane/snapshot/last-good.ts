import { isDeepStrictEqual } from 'node:util'
import {
  type AnyResource,
  claimsOf,
  type Finding,
  keyOf,
  type MeshPeer,
  referencesOf,
  referredName,
} from '@causeway/mesh-api'
import type { SourceChange } from '../sources/source.ts'
import type { ObjectKey } from './object-key.ts'
import type { Placement } from './object-state.ts'
import { narrowed, relaysOf } from './placement.ts'

/**
 * What is wrong with an object only because of what others are at this moment. The watches of kinds are not in step: what
 * it names may have been written before it, and be told after it. Collisions are not among them: of two that want the same
 * one has it.
 */
const OF_OTHERS: ReadonlySet<Finding['id']> = new Set<Finding['id']>([
  'NotFound',
  'NotOnRelay',
  'ListenerMissing',
  'AnchorNotForThis',
  'TargetNotNamed',
])

/** Whether the last good version counts on in place of one of which this was found. */
export function mayPass(findings: readonly Finding[]): boolean {
  return findings.every(({ id }) => OF_OTHERS.has(id))
}

/**
 * The last good version at the relays that the object still names, where nothing is wrong with it either: what it names is
 * there and permits it, nobody else has what it has, and it lets in nobody whom the newer version does not. `judged`: what would be wrong with a version.
 */
export function inForce(
  last: Placement | undefined,
  current: AnyResource,
  judged: (version: AnyResource) => readonly Finding[],
): Placement | undefined {
  const placed = narrowed(last, current)
  if (placed !== undefined && permitsMore(placed.from, current)) return undefined
  return placed === undefined || judged(versionAt(placed)).length > 0 ? undefined : placed
}

/** Whoever takes a permission away means it at once, also beside something that cannot be had. */
function permitsMore(before: AnyResource, now: AnyResource): boolean {
  if (before.kind === 'MeshBackend' && now.kind === 'MeshBackend') {
    const peers = now.spec.peers.map((peer) => referredName(now, peer))
    const isLeftOut = (header: string): boolean => !now.spec.acceptHeaders.includes(header)
    return (
      before.spec.peers.some((peer) => !peers.includes(referredName(before, peer))) ||
      before.spec.acceptHeaders.some(isLeftOut)
    )
  }
  if (before.kind === 'MeshPeer' && now.kind === 'MeshPeer') {
    const handles = now.spec.identity.handles ?? []
    const isSame = isDeepStrictEqual(identityOf(before), identityOf(now))
    const isFewer = before.spec.identity.handles?.every((handle) => handles.includes(handle)) === true
    return (!isSame && !isFewer) || (before.spec.acceptSuccessors && !now.spec.acceptSuccessors)
  }
  return false
}

function identityOf({ spec: { identity, identityFrom, trustAnchorRef } }: MeshPeer): unknown {
  return [identity, identityFrom, trustAnchorRef]
}

/** The version that is placed, as if it named no other relays than those that it is placed at. */
function versionAt({ from, relays }: Placement): AnyResource {
  if (!('relayRefs' in from.spec) || relaysOf(from).length === relays.length) return from
  const named = relaysOf(from)
  const relayRefs = from.spec.relayRefs.filter((_, index) => relays.includes(named[index] ?? ''))
  return { ...from, spec: { ...from.spec, relayRefs } } as AnyResource
}

/**
 * Which objects have an older version in force than the one that is known, and what that depends on: it is judged again
 * when any of that changes.
 */
export class LastGood {
  readonly #watching = new Map<string, Set<ObjectKey>>()
  readonly #watchedBy = new Map<ObjectKey, ReadonlySet<string>>()

  /** `version`: which is in force in place of the one that is known; undefined: none is. */
  set(key: ObjectKey, version: AnyResource | undefined): void {
    for (const watched of this.#watchedBy.get(key) ?? []) {
      const keys = this.#watching.get(watched)
      keys?.delete(key)
      if (keys?.size === 0) this.#watching.delete(watched)
    }
    this.#watchedBy.delete(key)
    if (version === undefined) return
    const watched = new Set([...referencesOf(version).map(({ to }) => keyOf(to)), ...claims(version)])
    this.#watchedBy.set(key, watched)
    for (const one of watched) {
      const keys = this.#watching.get(one)
      if (keys === undefined) this.#watching.set(one, new Set([key]))
      else keys.add(key)
    }
  }

  /** Those that may be in force no more after a change, of which `dirty` are the objects. */
  *concernedBy({ upserts, namespaces }: SourceChange, dirty: Iterable<ObjectKey>): Iterable<ObjectKey> {
    if (this.#watchedBy.size === 0) return
    // A grant may select namespaces by their labels.
    if (namespaces !== undefined) yield* this.#watchedBy.keys()
    for (const key of dirty) yield* this.#watching.get(key) ?? []
    for (const { resource } of upserts) {
      for (const claim of claims(resource)) yield* this.#watching.get(claim) ?? []
    }
  }
}

/** What of its kind only one on a relay may have. */
function claims(resource: AnyResource): readonly string[] {
  return claimsOf(resource).map(({ id, value }) => `${id} ${value}`)
}
