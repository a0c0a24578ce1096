import { isKubeError, keyOf, type ReconcileResult, refOf } from '@causeway/kube'
import {
  type AnyResource,
  credentialFile,
  credentialsName,
  FIELD_MANAGERS,
  idOf,
  type MeshEffect,
} from '@causeway/mesh-api'
import type { RelayInput } from '../../infra/relay-input.ts'
import type { CredentialStatus } from '../../status/mesh-status.ts'
import { type DataRef, dataRefsOf } from '../../world/data-refs.ts'
import type { Digests, Entries } from '../../world/entries.ts'
import { relayOf } from '../../world/relay-of.ts'
import { isManaged, isOurs, type MeshObject, meshType } from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import { type Responsibility, regarding, type Tools } from '../responsibility.ts'
import { applyCredentials } from './apply.ts'
import { decideCredentials, projectionsOf } from './decide.ts'

const CREDENTIALS_MANAGER = `${FIELD_MANAGERS.operator}-credentials`
/** Kinds whose references are projected. */
const PROJECTED_KINDS = ['MeshBackend', 'MeshPeer'] as const
const RACE_MS = 250
const NOTHING: Digests = new Map()

/** Copies what relays need of Secrets into one Secret for each relay (CONTROL section 5). Keys: `namespace/name`. */
export class CredentialsController implements Responsibility {
  readonly name = 'credentials'
  readonly workers = 2
  readonly #tools: Tools
  readonly #entries: Entries

  constructor(tools: Tools, entries: Entries) {
    this.#tools = tools
    this.#entries = entries
  }

  *keysOf(change: Change, { closures }: MeshEffect): Iterable<string> {
    yield* closures.keys()
    if (change.from === 'mesh') {
      const { kind, object, old } = change
      if (object === undefined && old !== undefined) yield* this.#holdersOf(old)
      if (kind === 'MeshRelay' && object !== undefined && old === undefined) yield keyOf(object.metadata)
      // Somebody has changed what was written of it.
      if (
        object !== undefined &&
        JSON.stringify(object.status?.credentials) !== JSON.stringify(old?.status?.credentials)
      )
        yield* this.#tools.mesh.index.relaysOf({ kind, name: keyOf(object.metadata) })
      return
    }
    const metadata = (change.object ?? change.old)?.metadata
    if (metadata === undefined || (change.from !== 'secret' && change.from !== 'configMap')) return
    for (const user of this.#tools.mesh.usersOfData(change.from === 'secret' ? 'Secret' : 'ConfigMap', metadata)) {
      const [kind = '', name = ''] = user.split(' ')
      if (kind === 'MeshBackend' || kind === 'MeshPeer') yield* this.#tools.mesh.index.relaysOf({ kind, name })
    }
    const relay = relayOf(metadata, credentialsName)
    if (relay !== undefined) yield relay
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const { world, installation, mesh } = this.#tools
    const object = world.object('MeshRelay', key)
    if (object === undefined || !isManaged(object, installation.name)) return undefined
    const relay = mesh.inForce('MeshRelay', object)
    if (relay === undefined) return undefined
    const closure = mesh.index.closureOf(key)
    const users: AnyResource[] = closure === undefined ? [] : [...closure.backends, ...closure.peers]
    const refs = users.flatMap((user) => dataRefsOf(user).filter(({ isProjected }) => isProjected))
    const name = credentialsName(relay.metadata.name)
    const { namespace } = relay.metadata
    const held = await this.#entries.projected({ namespace, name })
    if (refs.length === 0 && held === undefined) return this.#writeAll(users, NOTHING)
    const sources = await this.#sources(refs)
    const wantedOf = ({ entry }: DataRef) => sources.get(`${entry.kind} ${keyOf(entry)}`)?.get(entry.key)
    const projections = projectionsOf(refs, wantedOf, held ?? NOTHING)
    const decision = decideCredentials(projections, held ?? NOTHING, this.#unread())
    if (!decision.isChanged) return this.#writeAll(users, held ?? NOTHING)
    const input: RelayInput = { relay, uid: object.metadata.uid, installation }
    try {
      const applied = await applyCredentials(this.#tools, this.#entries, input, decision)
      if (applied.kind === 'again') return { againAfterMs: RACE_MS }
      if (applied.kind === 'tooLarge') {
        const note = `What its objects name by secretRef takes ${applied.octets} octets, more than one Secret has room for.`
        this.#warn(object, 'CredentialsTooLarge', note)
        return undefined
      }
      if (applied.kind === 'taken') {
        this.#warn(object, 'NameTaken', `Secret ${name} exists and does not belong to this relay; delete or rename it.`)
        return undefined
      }
      return this.#writeAll(users, this.#entries.learn(applied.secret))
    } catch (error) {
      if (!isKubeError(error, 'Conflict', 'AlreadyExists')) throw error
      return { againAfterMs: RACE_MS }
    }
  }

  #warn(object: MeshObject, reason: string, note: string): void {
    const action = 'ProjectCredentials'
    this.#tools.events.record({ regarding: regarding('MeshRelay', object), type: 'Warning', reason, action, note })
  }

  /** Files that were projected for objects which were not valid when they were seen first (CONTROL section 1). */
  #unread(): ReadonlySet<string> {
    const { world, mesh, installation } = this.#tools
    const files = new Set<string>()
    for (const kind of PROJECTED_KINDS)
      for (const object of world.objects(kind))
        if (isOurs(object, installation.name) && mesh.inForce(kind, object) === undefined)
          for (const { file } of object.status?.credentials ?? []) files.add(file)
    return files
  }

  /** Relays with a file for an object that was deleted: whose it was says the index only of one that was valid once. */
  *#holdersOf({ status }: MeshObject): Iterable<string> {
    if ((status?.credentials ?? []).length === 0) return
    for (const { metadata } of this.#tools.world.objects('MeshRelay')) yield keyOf(metadata)
  }

  async #sources(refs: readonly DataRef[]): Promise<ReadonlyMap<string, Digests>> {
    const sources = new Map<string, Digests>()
    for (const { entry } of refs) {
      const key = `${entry.kind} ${keyOf(entry)}`
      if (!sources.has(key)) sources.set(key, (await this.#entries.digests(entry)) ?? NOTHING)
    }
    return sources
  }

  /** Configuration carries names and digests, which the control plane reads here: it may not read Secrets. */
  async #writeAll(users: readonly AnyResource[], projected: Digests): Promise<undefined> {
    for (const user of users) {
      const files = [...new Set(dataRefsOf(user).map(({ entry }) => credentialFile(entry)))].sort()
      const credentials = files.flatMap((file): CredentialStatus[] => {
        const sha256 = projected.get(file)
        return sha256 === undefined ? [] : [{ file, sha256 }]
      })
      const { kind, name } = idOf(user)
      const object = this.#tools.world.object(kind, name)
      if (object === undefined) continue
      if (JSON.stringify(order(object.status?.credentials ?? [])) === JSON.stringify(credentials)) continue
      const status = { metadata: { ...refOf(name), uid: object.metadata.uid }, status: { credentials } }
      const options = { fieldManager: CREDENTIALS_MANAGER, force: true }
      await this.#tools.client.applyStatus(meshType(kind), status, options).catch(ignoreGone)
    }
    return undefined
  }
}

function order(credentials: readonly CredentialStatus[]): CredentialStatus[] {
  return credentials.map(({ file, sha256 }) => ({ file, sha256 })).sort((a, b) => (a.file < b.file ? -1 : 1))
}

function ignoreGone(error: unknown): void {
  if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
}
