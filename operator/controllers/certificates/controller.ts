import { isKubeError, keyOf, type ReconcileResult } from '@causeway/kube'
import {
  CA_SECRET_NAME,
  CONTROL_PLANE_TLS_NAME,
  clientCertificateName,
  DATA_KEYS,
  TRUST_BUNDLE_NAME,
} from '@causeway/mesh-api'
import { ownedMetadata } from '../../infra/relay-input.ts'
import { bundleDigest } from '../../pki/bundle.ts'
import { nameText } from '../../pki/facts.ts'
import { controlPlaneSubject, relaySubject } from '../../pki/names.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import { DataMemo } from '../../world/data-memo.ts'
import { relayOf } from '../../world/relay-of.ts'
import {
  CONFIG_MAPS,
  type ConfigMapObject,
  isManaged,
  isOurs,
  type MeshObject,
  SECRETS,
} from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import type { Responsibility, Tools } from '../responsibility.ts'
import { LABELS } from './apply-authority.ts'
import { applyLeaf, type Leaf } from './apply-leaf.ts'
import { AuthorityKeeper } from './authority-keeper.ts'
import { decideLeaf } from './decide-leaf.ts'
import { type HeldSecrets, heldIn } from './held.ts'
import type { Lives } from './lives.ts'
import type { Trust } from './trust.ts'

const AUTHORITY = 'authority'
const CONTROL_PLANE = 'control-plane'

/**
 * First trust (CONTROL section 2): the authority, the certificate of the control plane, one for each relay, and the bundle
 * in each namespace with a relay. Keys: `authority`, `control-plane`, `bundle NAMESPACE`, `relay NAMESPACE/NAME`.
 */
export class CertificatesController implements Responsibility {
  readonly name = 'certificates'
  readonly workers = 2
  /** What is there even on an empty cluster. */
  readonly firstKeys: readonly string[] = [AUTHORITY, CONTROL_PLANE]
  readonly #tools: Tools
  readonly #lives: Lives
  readonly #secrets: HeldSecrets
  readonly #authority: AuthorityKeeper
  readonly #bundles: DataMemo<ConfigMapObject, string>

  constructor(tools: Tools, lives: Lives) {
    this.#tools = tools
    this.#lives = lives
    const { client, world } = tools
    this.#secrets = new DataMemo({ client, type: SECRETS, metadata: world.secrets, read: heldIn })
    this.#authority = new AuthorityKeeper({
      tools,
      lives,
      secrets: this.#secrets,
      relays: () => this.#relays(),
      leaves: () => this.#leaves(),
      trustChanged: () => this.#trustChanged(),
    })
    this.#bundles = new DataMemo({
      client,
      type: CONFIG_MAPS,
      metadata: world.configMaps,
      read: ({ data }) => data?.[DATA_KEYS.authorities] ?? '',
    })
  }

  *keysOf(change: Change): Iterable<string> {
    const { metadata } = change.object ?? change.old ?? {}
    if (metadata === undefined) return
    const { namespace = '', name } = metadata
    if (change.from === 'mesh' && change.kind === 'MeshRelay') {
      yield `relay ${keyOf(metadata)}`
      yield `bundle ${namespace}`
      if (this.#authority.isWaiting) yield AUTHORITY
    } else if (change.from === 'configMap' && name === TRUST_BUNDLE_NAME) yield `bundle ${namespace}`
    else if (change.from === 'secret') {
      const isOwn = namespace === this.#tools.installation.namespace
      if (isOwn && (name === CA_SECRET_NAME || name === NEXT_CA_SECRET_NAME)) yield AUTHORITY
      else if (isOwn && name === CONTROL_PLANE_TLS_NAME) yield CONTROL_PLANE
      const relay = relayOf(metadata, clientCertificateName)
      if (relay !== undefined) yield `relay ${relay}`
    }
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (key === AUTHORITY) return this.#authority.reconcile()
    const { trust } = this.#authority
    // The authority has every key looked at once it is there.
    if (trust === undefined) return undefined
    if (key === CONTROL_PLANE) return this.#leaf(this.#controlPlaneLeaf(), trust)
    const [kind = '', rest = ''] = key.split(' ')
    if (kind === 'bundle') return this.#bundle(rest, trust)
    const object = this.#tools.world.object('MeshRelay', rest)
    const leaf = object === undefined ? undefined : this.#relayLeaf(object)
    return leaf === undefined ? undefined : this.#leaf(leaf, trust)
  }

  /** Everything that follows from who is trusted is looked at when that changes. */
  #trustChanged(): void {
    this.#tools.enqueue(this.name, CONTROL_PLANE)
    for (const { metadata } of this.#tools.world.objects('MeshRelay')) {
      this.#tools.enqueue(this.name, `bundle ${metadata.namespace}`)
      this.#tools.enqueue(this.name, `relay ${keyOf(metadata)}`)
    }
  }

  #leaves(): readonly Leaf[] {
    return [this.#controlPlaneLeaf(), ...[...this.#relays()].flatMap((one) => this.#relayLeaf(one) ?? [])]
  }

  async #leaf(leaf: Leaf, trust: Trust): Promise<ReconcileResult | undefined> {
    const held = await this.#secrets.read(leaf.metadata)
    const decision = decideLeaf({
      held: held?.certificate,
      names: leaf.subject.names.map(nameText).sort(),
      issuer: trust.issuer,
      nowMs: this.#tools.clock.wallNow(),
    })
    const isBundleGood = !leaf.hasBundle || held?.bundle === trust.bundle
    if (decision.kind === 'keep' && isBundleGood) {
      return { againAfterMs: Math.min(decision.renewAtMs - this.#tools.clock.wallNow(), MAX_WAIT_MS) }
    }
    try {
      const written = await applyLeaf(this.#tools, leaf, trust, this.#lives)
      if (written === undefined) return { againAfterMs: RACE_MS }
      this.#secrets.learn(written.secret)
      const { name, namespace } = leaf.metadata
      this.#tools.logger.info({ object: `${namespace}/${name}`, reason: written.reason }, 'certificate issued')
      if (this.#authority.isWaiting) this.#tools.enqueue(this.name, AUTHORITY)
    } catch (error) {
      if (!isKubeError(error, 'Conflict', 'AlreadyExists')) throw error
      return { againAfterMs: RACE_MS }
    }
    return { againAfterMs: 1 }
  }

  /** CONTROL section 2: a ConfigMap in each namespace that has a relay. */
  async #bundle(namespace: string, trust: Trust): Promise<ReconcileResult | undefined> {
    const { client } = this.#tools
    const ref = { name: TRUST_BUNDLE_NAME, namespace }
    const held = await this.#bundles.read(ref)
    const isNeeded = [...this.#relays()].some(({ metadata }) => metadata.namespace === namespace)
    if (!isNeeded) {
      if (held === undefined || this.#tools.world.configMaps.get(keyOf(ref))?.metadata.labels?.[PART_OF] !== 'causeway')
        return undefined
      await client.delete(CONFIG_MAPS, ref).catch(ignoreNotFound)
      return undefined
    }
    if (held === trust.bundle) return undefined
    const metadata = { ...ref, labels: { ...LABELS }, annotations: { [DIGEST]: bundleDigest(trust.bundle) } }
    const data = { [DATA_KEYS.authorities]: trust.bundle }
    this.#bundles.learn(await client.apply(CONFIG_MAPS, { metadata, data }, { force: true }))
    return undefined
  }

  *#relays(): Generator<MeshObject> {
    for (const object of this.#tools.world.objects('MeshRelay'))
      if (isOurs(object, this.#tools.installation.name)) yield object
  }

  /** Undefined for a relay that goes, or is another installation's. Whatever its spec says, it has a certificate. */
  #relayLeaf(object: MeshObject): Leaf | undefined {
    const { installation } = this.#tools
    if (!isManaged(object, installation.name)) return undefined
    const { name, uid, namespace } = object.metadata
    const metadata = { ...ownedMetadata({ relay: object, uid }, clientCertificateName(name)), namespace }
    const subject = relaySubject({ trustDomain: installation.trustDomain, namespace, name, uid })
    return { metadata, subject, hasBundle: false }
  }

  #controlPlaneLeaf(): Leaf {
    const { namespace } = this.#tools.installation
    const metadata = { name: CONTROL_PLANE_TLS_NAME, namespace, labels: { ...LABELS } }
    return { metadata, subject: controlPlaneSubject(namespace), hasBundle: true }
  }
}

const PART_OF = 'app.kubernetes.io/part-of'
const DIGEST = 'mesh.causeway.dev/sha256'
const RACE_MS = 250
/** Clocks step: nothing is left alone for longer. */
const MAX_WAIT_MS = 10 * 60_000

function ignoreNotFound(error: unknown): void {
  if (!isKubeError(error, 'NotFound')) throw error
}
