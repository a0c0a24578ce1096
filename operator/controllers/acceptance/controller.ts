import { isKubeError, keyOf, type ReconcileResult } from '@causeway/kube'
import { FIELD_MANAGERS, formatFieldPath, type KindName, type MeshEffect, type ObjectId } from '@causeway/mesh-api'
import { type Condition, nextCondition, type Verdict } from '../../status/condition.ts'
import { dataRefsOf } from '../../world/data-refs.ts'
import type { Entries } from '../../world/entries.ts'
import { Freshest } from '../../world/freshest.ts'
import { isOurs, type MeshObject, meshType } from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import { type Responsibility, regarding, type Tools } from '../responsibility.ts'
import { decideAcceptance, type MissingEntry } from './decide.ts'

const ACCEPTED_MANAGER = `${FIELD_MANAGERS.operator}-accepted`
const RACE_MS = 250

/** Writes Accepted of every kind (CONTROL section 4). Keys: `Kind namespace/name`. */
export class AcceptanceController implements Responsibility {
  readonly name = 'acceptance'
  readonly workers = 8
  readonly #tools: Tools
  readonly #entries: Entries
  readonly #objects = new Freshest<MeshObject>()

  constructor(tools: Tools, entries: Entries) {
    this.#tools = tools
    this.#entries = entries
  }

  *keysOf(change: Change, { verdicts }: MeshEffect): Iterable<string> {
    for (const { kind, name } of verdicts) yield `${kind} ${name}`
    if (change.from === 'mesh') {
      const { kind, object, old } = change
      if (object !== undefined && isNews(object, old)) yield `${kind} ${keyOf(object.metadata)}`
    } else if (change.from === 'secret' || change.from === 'configMap') {
      const metadata = (change.object ?? change.old)?.metadata
      const kind = change.from === 'secret' ? 'Secret' : 'ConfigMap'
      if (metadata !== undefined) yield* this.#tools.mesh.usersOfData(kind, metadata)
    }
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const [kind = '', name = ''] = key.split(' ')
    const id: ObjectId = { kind: kind as KindName, name }
    const { world, installation } = this.#tools
    const object = this.#objects.get(key, {
      get: () => world.object(id.kind, name),
      position: world.watchOf(id.kind).position,
    })
    if (object === undefined) return undefined
    if (!isOurs(object, installation.name)) {
      this.#tellForeign(id.kind, object)
      return undefined
    }
    return this.#write(id, object, await this.#judge(id, object))
  }

  async #judge(id: ObjectId, object: MeshObject): Promise<Verdict> {
    const { view, mesh } = this.#tools
    const read = view.read(id.kind, object)
    const { deletionTimestamp, generation = 0 } = object.metadata
    return decideAcceptance({
      faults: 'faults' in read ? read.faults : [],
      findings: mesh.index.findingsOf(id),
      missing: 'resource' in read ? await this.#missing(id, object) : [],
      isDeleting: deletionTimestamp !== undefined,
      users: deletionTimestamp === undefined ? [] : mesh.usersInForce(id).map(({ kind, name }) => `${kind} ${name}`),
      before: acceptedOf(object),
      generation,
    })
  }

  async #missing(id: ObjectId, object: MeshObject): Promise<MissingEntry[]> {
    const read = this.#tools.view.read(id.kind, object)
    if (!('resource' in read)) return []
    const missing: MissingEntry[] = []
    for (const { entry, fieldPath: path } of dataRefsOf(read.resource)) {
      const digests = await this.#entries.digests(entry)
      const fieldPath = formatFieldPath(path)
      const what = `${entry.kind} ${keyOf(entry)}`
      if (digests === undefined) missing.push({ fieldPath, what })
      else if (!digests.has(entry.key)) missing.push({ fieldPath, what, key: entry.key })
    }
    return missing
  }

  async #write({ kind }: ObjectId, object: MeshObject, verdict: Verdict): Promise<ReconcileResult | undefined> {
    const { client, clock, installation } = this.#tools
    const { name, namespace, uid, resourceVersion, generation = 0 } = object.metadata
    const before = object.status?.conditions
    const condition = nextCondition('Accepted', verdict, before, { generation, nowMs: clock.wallNow() })
    const isNew = object.status?.controller === undefined
    if (condition === undefined && !isNew) return undefined
    // The first of two installations to say so has it: that one write is conditional.
    const metadata = { name, namespace, uid, ...(isNew ? { resourceVersion } : {}) }
    const kept = condition ?? acceptedOf(object)
    const status = { conditions: kept === undefined ? [] : [kept], controller: installation.name }
    try {
      const options = { fieldManager: ACCEPTED_MANAGER, force: true }
      const answer = await client.applyStatus(meshType(kind), { metadata, status }, options)
      this.#objects.learn(`${kind} ${keyOf(metadata)}`, answer, this.#tools.world.watchOf(kind))
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined
      if (!isKubeError(error, 'Conflict')) throw error
      return { againAfterMs: RACE_MS }
    }
    if (condition !== undefined) this.#tell(kind, object, verdict)
    return undefined
  }

  #tell(kind: KindName, object: MeshObject, { status, reason, message }: Verdict): void {
    const before = acceptedOf(object)
    if (before?.reason === reason || (before === undefined && status === 'True')) return
    const type = status === 'True' && reason !== 'InUse' ? 'Normal' : 'Warning'
    this.#tools.events.record({
      regarding: regarding(kind, object),
      type,
      reason,
      action: 'Accept',
      note: `${message}.`,
    })
  }

  #tellForeign(kind: KindName, object: MeshObject): void {
    this.#tools.events.record({
      regarding: regarding(kind, object),
      type: 'Warning',
      reason: 'OtherInstallation',
      action: 'Accept',
      note: `Installation ${this.#tools.installation.name} refuses it: ${object.status?.controller} has accepted it.`,
    })
  }
}

function acceptedOf({ status }: MeshObject): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Accepted')
}

/** Whether a change can alter the verdict, or has altered what was written of it. */
function isNews(object: MeshObject, old: MeshObject | undefined): boolean {
  if (old === undefined) return true
  return (
    object.metadata.generation !== old.metadata.generation ||
    object.metadata.uid !== old.metadata.uid ||
    object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    object.status?.controller !== old.status?.controller ||
    JSON.stringify(acceptedOf(object)) !== JSON.stringify(acceptedOf(old))
  )
}
