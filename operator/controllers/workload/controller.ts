import { isKubeError, keyOf, type ReconcileResult, type ResourceType } from '@causeway/kube'
import { FIELD_MANAGERS, type MeshRelay, workloadName } from '@causeway/mesh-api'
import type { Json, JsonObject, Manifest } from '../../infra/manifest.ts'
import type { RelayInput } from '../../infra/relay-input.ts'
import { relayObjects } from '../../infra/relay-objects.ts'
import { nextCondition, type Verdict } from '../../status/condition.ts'
import { Freshest } from '../../world/freshest.ts'
import { isManaged, type MeshObject, meshType, type OwnedObject, STATEFUL_SETS } from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import type { IdentityVerdict } from '../identity/controller.ts'
import { type Responsibility, regarding, type Tools } from '../responsibility.ts'
import { APPLIED_ANNOTATION, covers, withDigest } from './compare.ts'
import { decideReady } from './decide-ready.ts'
import { foreignFields, removal } from './foreign-fields.ts'
import { belongsTo, statefulSetFacts, typeOf } from './gather.ts'

export interface WorkloadOptions {
  readonly tools: Tools
  /** Undefined: not known yet. */
  readonly identityOf: (key: string) => IdentityVerdict | undefined
}

const READY_MANAGER = `${FIELD_MANAGERS.operator}-ready`
/** Something of a former relay is on its way out. */
const LEAVING_MS = 1_000

/** Runs relays (CONTROL section 5). Keys: `namespace/name` of a MeshRelay. */
export class WorkloadController implements Responsibility {
  readonly name = 'workload'
  readonly workers = 4
  readonly #options: WorkloadOptions
  readonly #owned = new Freshest<OwnedObject>()
  readonly #relays = new Freshest<MeshObject>()
  /** The generation that our last apply left, for what the API server writes in another way than we do. */
  readonly #left = new Map<string, { readonly digest: string; readonly generation: number }>()
  /** The generation of a StatefulSet whose pod template was looked through for fields of others. */
  readonly #looked = new Map<string, number>()

  constructor(options: WorkloadOptions) {
    this.#options = options
  }

  *keysOf(change: Change): Iterable<string> {
    const { metadata } = change.object ?? change.old ?? {}
    if (metadata === undefined) return
    if (change.from === 'mesh' && change.kind === 'MeshRelay') yield keyOf(metadata)
    if (change.from !== 'owned') return
    if (change.object === undefined) this.#forget(change.kind, keyOf(metadata))
    for (const { kind, name } of metadata.ownerReferences ?? [])
      if (kind === 'MeshRelay') yield keyOf({ name, namespace: metadata.namespace ?? '' })
  }

  #forget(kind: string, key: string): void {
    this.#left.delete(`${kind} ${key}`)
    if (kind === STATEFUL_SETS.kind) this.#looked.delete(key)
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const { tools, identityOf } = this.#options
    const { world, mesh, installation } = tools
    const object = this.#relays.get(key, world.watchOf('MeshRelay'))
    if (object === undefined || !isManaged(object, installation.name)) return undefined
    const relay = mesh.inForce('MeshRelay', object)
    // Not valid when it was seen first: what runs of it is left alone.
    if (relay === undefined) return undefined
    const input: RelayInput = { relay, uid: object.metadata.uid, installation }
    const pass: Pass = { object, input, taken: [], remarks: [], isLeaving: false }
    const manifests = relayObjects(input)
    for (const manifest of manifests) await this.#ensure(pass, manifest)
    await this.#dropService(pass, manifests)
    const statefulSet = world.owned
      .get('StatefulSet')
      ?.get(keyOf({ ...relay.metadata, name: workloadName(relay.metadata.name) }))
    const identity = identityOf(key)
    // Who has just begun to lead does not take back what was true before.
    if (identity !== undefined)
      await this.#writeReady(
        object,
        decideReady({
          identity,
          taken: pass.taken,
          remarks: pass.remarks,
          statefulSet: statefulSet === undefined ? undefined : statefulSetFacts(statefulSet),
        }),
      )
    return pass.isLeaving ? { againAfterMs: LEAVING_MS } : undefined
  }

  async #ensure(pass: Pass, manifest: Manifest): Promise<void> {
    const { client, world } = this.#options.tools
    const type = typeOf(manifest)
    const key = keyOf(manifest.metadata)
    const name = `${manifest.kind} ${key}`
    const known = this.#owned.get(name, world.ownedWatchOf(manifest.kind, key))
    const found = known ?? (await client.find(type, manifest.metadata))
    const whose = found === undefined ? 'us' : belongsTo(found, ownerOf(pass))
    if (whose === 'others') {
      pass.taken.push(`${manifest.kind} ${manifest.metadata.name}`)
      return
    }
    if (found !== undefined && (found.metadata.deletionTimestamp !== undefined || whose === 'former')) {
      // The garbage collector removes what the former relay owned.
      pass.isLeaving = true
      return
    }
    // Its pods would run with what belongs to others: the rights of an account, say.
    if (manifest.kind === 'StatefulSet' && pass.taken.some((one) => USED_BY_PODS.test(one))) return
    const wanted = withDigest(manifest.kind === 'StatefulSet' ? this.#keepStorage(pass, manifest, found) : manifest)
    if (found === undefined || !this.#isAsWanted(key, wanted, found)) await this.#apply(type, wanted)
    if (manifest.kind === 'StatefulSet' && found !== undefined) await this.#removeForeign(pass, wanted, found)
  }

  async #apply(type: ResourceType<OwnedObject>, wanted: Manifest): Promise<OwnedObject> {
    const { client, world } = this.#options.tools
    const key = keyOf(wanted.metadata)
    const name = `${wanted.kind} ${key}`
    const applied = await client.apply(type, wanted, { force: true })
    this.#owned.learn(name, applied, world.ownedWatchOf(wanted.kind, key))
    this.#left.set(name, {
      digest: digestOf(wanted.metadata.annotations),
      generation: applied.metadata.generation ?? 0,
    })
    return applied
  }

  #isAsWanted(key: string, wanted: Manifest, found: OwnedObject): boolean {
    const digest = digestOf(wanted.metadata.annotations)
    if (digest !== digestOf(found.metadata.annotations)) return false
    const left = this.#left.get(`${wanted.kind} ${key}`)
    const isLeftByUs = left?.digest === digest && left.generation !== 0 && left.generation === found.metadata.generation
    // A change of labels alone is no new generation, and without ours no watch tells of the object.
    return (isLeftByUs && covers(wanted.metadata, found.metadata)) || covers(wanted, found)
  }

  /** A StatefulSet's claims cannot be changed; the rest of it can. */
  #keepStorage(pass: Pass, manifest: Manifest, found: OwnedObject | undefined): Manifest {
    const spec = found?.spec as { readonly volumeClaimTemplates?: Json } | undefined
    const wanted = manifest.spec as JsonObject
    if (spec === undefined || covers(wanted.volumeClaimTemplates, spec.volumeClaimTemplates ?? [])) return manifest
    const remark = 'storage is as the StatefulSet was made with; delete it with --cascade=orphan to have it made anew'
    pass.remarks.push(remark)
    this.#tell(pass.object, 'Warning', 'StorageNotChanged', `${remark}.`)
    return { ...manifest, spec: { ...wanted, volumeClaimTemplates: spec.volumeClaimTemplates ?? [] } }
  }

  /** CONTROL section 5: a pod-template field that is owned by somebody else is removed, and reported. */
  async #removeForeign(pass: Pass, wanted: Manifest, found: OwnedObject): Promise<void> {
    const { client } = this.#options.tools
    const key = keyOf(found.metadata)
    const generation = found.metadata.generation ?? 0
    if (this.#looked.get(key) === generation) return
    const live = await client.get(STATEFUL_SETS, found.metadata)
    // What somebody has just changed of ours is put right, and is nothing to remove.
    const whole = this.#isAsWanted(key, wanted, live) ? live : await this.#apply(STATEFUL_SETS, wanted)
    const fields = foreignFields(whole, ['spec', 'template'], FIELD_MANAGERS.operator)
    if (fields.length > 0) {
      await client.patch(STATEFUL_SETS, found.metadata, { kind: 'json', patch: removal(whole, fields) })
      const list = fields.map(({ pointer, manager }) => `${pointer.slice(1).replaceAll('/', '.')} (of ${manager})`)
      this.#tell(pass.object, 'Warning', 'ForeignFieldRemoved', `Removed from the pod template: ${list.join(', ')}.`)
    }
    this.#looked.set(key, whole.metadata.generation ?? 0)
  }

  /** The Service of listeners that are no longer wanted. */
  async #dropService(pass: Pass, manifests: readonly Manifest[]): Promise<void> {
    const { client, world } = this.#options.tools
    const { metadata } = pass.input.relay
    const ref = { name: workloadName(metadata.name), namespace: metadata.namespace }
    if (manifests.some(({ kind, metadata: one }) => kind === 'Service' && one.name === ref.name)) return
    const found = world.owned.get('Service')?.get(keyOf(ref))
    if (
      found === undefined ||
      belongsTo(found, ownerOf(pass)) !== 'us' ||
      found.metadata.deletionTimestamp !== undefined
    )
      return
    const { uid = '' } = found.metadata
    try {
      await client.delete(typeOf({ kind: 'Service' }), ref, { preconditions: { uid } })
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
    }
  }

  async #writeReady(object: MeshObject, verdict: Verdict): Promise<void> {
    const { client, clock, world } = this.#options.tools
    const { name, namespace, uid, generation = 0 } = object.metadata
    const times = { generation, nowMs: clock.wallNow() }
    const condition = nextCondition('Ready', verdict, object.status?.conditions, times)
    if (condition === undefined) return
    const status = { metadata: { name, namespace, uid }, status: { conditions: [condition] } }
    const options = { fieldManager: READY_MANAGER, force: true }
    const answer = await client.applyStatus(meshType('MeshRelay'), status, options)
    this.#relays.learn(keyOf(object.metadata), answer, world.watchOf('MeshRelay'))
    const before = object.status?.conditions?.find(({ type }) => type === 'Ready')
    if (verdict.status === 'False' && before?.reason !== verdict.reason && TOLD.has(verdict.reason))
      this.#tell(object, 'Warning', verdict.reason, verdict.message)
  }

  #tell(object: MeshObject, type: 'Normal' | 'Warning', reason: string, note: string): void {
    this.#options.tools.events.record({
      regarding: regarding('MeshRelay', object),
      type,
      reason,
      action: 'RunRelay',
      note,
    })
  }
}

/** What one look at a relay finds. */
interface Pass {
  readonly object: MeshObject
  readonly input: RelayInput
  readonly taken: string[]
  readonly remarks: string[]
  isLeaving: boolean
}

/** Of what is taken. */
const USED_BY_PODS = /^(ServiceAccount|ConfigMap) /

/** Reasons that need a person. */
const TOLD: ReadonlySet<string> = new Set(['IdentityLost', 'IdentityDamaged', 'NameTaken'])

function ownerOf({ input }: Pass): { readonly name: string; readonly uid: string } {
  const relay: MeshRelay = input.relay
  return { name: relay.metadata.name, uid: input.uid }
}

function digestOf(annotations: Readonly<Record<string, string>> | undefined): string {
  return annotations?.[APPLIED_ANNOTATION] ?? ''
}
