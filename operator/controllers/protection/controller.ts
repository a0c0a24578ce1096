import { isKubeError, keyOf, type ReconcileResult } from '@causeway/kube'
import {
  IN_USE_FINALIZER,
  type KindName,
  type MeshEffect,
  type ObjectId,
  RELEASE_ANNOTATION,
  referencesOf,
} from '@causeway/mesh-api'
import { isOurs, type MeshObject, meshType } from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import { type Responsibility, regarding, type Tools } from '../responsibility.ts'
import { decideProtection, type ProtectionDecision } from './decide.ts'

/** What can be in use. */
const PROTECTED: readonly KindName[] = ['MeshPeer', 'MeshBackend', 'TrustAnchor', 'MeshRelay']
const RACE_MS = 250
/** Clocks step: no hold is left alone for longer. */
const MAX_WAIT_MS = 10 * 60_000

/** Holds back the deletion of what is in use (CONTROL section 6). Keys: `Kind namespace/name`. */
export class ProtectionController implements Responsibility {
  readonly name = 'protection'
  readonly workers = 8
  readonly #tools: Tools
  readonly #holdMs: number
  /** What each user names, as it was told last: who is no longer named is looked at too. */
  readonly #named = new Map<string, readonly string[]>()

  constructor(tools: Tools, holdMs: number) {
    this.#tools = tools
    this.#holdMs = holdMs
  }

  *keysOf(change: Change, { verdicts }: MeshEffect): Iterable<string> {
    if (change.from === 'mesh') {
      const { kind, object, old } = change
      const metadata = (object ?? old)?.metadata
      if (metadata === undefined || !isNews(object, old)) return
      if (PROTECTED.includes(kind)) yield `${kind} ${keyOf(metadata)}`
      yield* this.#renamed({ kind, name: keyOf(metadata) })
    } else if (change.from === 'namespace') yield* this.#going((change.object ?? change.old)?.metadata.name)
    for (const user of verdicts) yield* this.#renamed(user)
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const [kind = '', name = ''] = key.split(' ')
    const id: ObjectId = { kind: kind as KindName, name }
    const { world, clock, installation, mesh } = this.#tools
    const object = world.object(id.kind, name)
    if (object === undefined || !isOurs(object, installation.name)) return undefined
    const { metadata } = object
    const { deletionTimestamp } = metadata
    const decision = decideProtection({
      hasFinalizer: (metadata.finalizers ?? []).includes(IN_USE_FINALIZER),
      deletedAtMs: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
      isReleased: metadata.annotations?.[RELEASE_ANNOTATION] === 'now',
      isNamespaceGoing: world.namespace(metadata.namespace)?.metadata.deletionTimestamp !== undefined,
      users: mesh.usersInForce(id).length,
      holdMs: this.#holdMs,
      nowMs: clock.wallNow(),
    })
    // Accepted of an object that is going says by whom it is held.
    if (deletionTimestamp !== undefined) this.#tools.enqueue('acceptance', key)
    return this.#apply(id, object, decision)
  }

  async #apply(id: ObjectId, object: MeshObject, decision: ProtectionDecision): Promise<ReconcileResult | undefined> {
    if (decision.kind === 'leave') {
      const { againAfterMs } = decision
      return againAfterMs === undefined ? undefined : { againAfterMs: Math.min(againAfterMs, MAX_WAIT_MS) }
    }
    const { name, namespace, resourceVersion, finalizers = [] } = object.metadata
    const others = finalizers.filter((one) => one !== IN_USE_FINALIZER)
    const wanted = decision.kind === 'hold' ? [...others, IN_USE_FINALIZER] : others
    try {
      const patch = { metadata: { resourceVersion, finalizers: wanted } }
      await this.#tools.client.patch(meshType(id.kind), { name, namespace }, { kind: 'merge', patch })
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined
      if (!isKubeError(error, 'Conflict')) throw error
      return { againAfterMs: RACE_MS }
    }
    if (decision.kind === 'free' && decision.reason === 'HoldElapsed') this.#tellElapsed(id.kind, object)
    return undefined
  }

  /** What a user names now and named before. */
  *#renamed(user: ObjectId): Iterable<string> {
    const key = `${user.kind} ${user.name}`
    const resource = this.#tools.mesh.index.get(user.kind, user.name)
    const named =
      resource === undefined
        ? []
        : referencesOf(resource).flatMap(({ to }) => (PROTECTED.includes(to.kind) ? [`${to.kind} ${to.name}`] : []))
    yield* this.#named.get(key) ?? []
    yield* named
    if (named.length === 0) this.#named.delete(key)
    else this.#named.set(key, named)
  }

  /** Objects of a namespace whose deletion is held back. */
  *#going(namespace: string | undefined): Iterable<string> {
    for (const kind of PROTECTED)
      for (const { metadata } of this.#tools.world.objects(kind))
        if (metadata.namespace === namespace && metadata.deletionTimestamp !== undefined)
          yield `${kind} ${keyOf(metadata)}`
  }

  #tellElapsed(kind: KindName, object: MeshObject): void {
    this.#tools.events.record({
      regarding: regarding(kind, object),
      type: 'Warning',
      reason: 'HoldElapsed',
      action: 'Protect',
      note: 'It is still in use, and has been held back for as long as it may be; now it goes.',
    })
  }
}

/** Status tells nothing here, and there is a lot of it. */
function isNews(object: MeshObject | undefined, old: MeshObject | undefined): boolean {
  if (object === undefined || old === undefined) return true
  const told = ({ metadata, status }: MeshObject) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.finalizers,
    metadata.annotations?.[RELEASE_ANNOTATION],
    status?.controller,
  ]
  return JSON.stringify(told(object)) !== JSON.stringify(told(old))
}
