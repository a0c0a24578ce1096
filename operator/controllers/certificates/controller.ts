import { isKubeError, keyOf, type ReconcileResult } from '@causeway/kube'
import {
  CA_SECRET_NAME,
  CONTROL_PLANE_TLS_NAME,
  clientCertificateName,
  DATA_KEYS,
  RELAY_LABEL,
  TRUST_BUNDLE_NAME,
} from '@causeway/mesh-api'
import { ownedMetadata } from '../../infra/relay-input.ts'
import { bundleDigest } from '../../pki/bundle.ts'
import { type CertificateFacts, isIssuedBy, nameText } from '../../pki/facts.ts'
import { controlPlaneSubject, relaySubject } from '../../pki/names.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import { DataMemo } from '../../world/data-memo.ts'
import {
  CONFIG_MAPS,
  type ConfigMapObject,
  isOurs,
  type MeshObject,
  SECRETS,
  type SecretObject,
} from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import type { Responsibility, Tools } from '../responsibility.ts'
import { applyAuthority, LABELS } from './apply-authority.ts'
import { applyLeaf, type Leaf } from './apply-leaf.ts'
import { bundleIn, certificateOf, nextAuthorityOf, ROTATE_CA_ANNOTATION } from './authority-secrets.ts'
import {
  type AuthorityDecision,
  type AuthorityFacts,
  decideAuthority,
  type InstanceReport,
  type NextAuthority,
} from './decide-authority.ts'
import { decideLeaf } from './decide-leaf.ts'
import type { Lives } from './lives.ts'
import { isSameTrust, type Trust, trustFrom } from './trust.ts'

const AUTHORITY = 'authority'
const CONTROL_PLANE = 'control-plane'

/** What is kept of a Secret with a certificate. */
interface Held {
  readonly certificate: CertificateFacts | 'damaged'
  readonly next: NextAuthority | 'damaged' | undefined
  readonly bundle: string
  readonly isRotationWanted: boolean
}

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
  readonly #secrets: DataMemo<SecretObject, Held>
  readonly #bundles: DataMemo<ConfigMapObject, string>
  /** Undefined before the authority was looked at, and while it is damaged. */
  #trust: Trust | undefined
  /** Whether a rotation waits for what instances report. */
  #waits = false

  constructor(tools: Tools, lives: Lives) {
    this.#tools = tools
    this.#lives = lives
    const { client, world } = tools
    this.#secrets = new DataMemo({ client, type: SECRETS, metadata: world.secrets, read: heldIn })
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
    const { namespace = '', name, labels } = metadata
    if (change.from === 'mesh' && change.kind === 'MeshRelay') {
      yield `relay ${keyOf(metadata)}`
      yield `bundle ${namespace}`
      if (this.#waits) yield AUTHORITY
    } else if (change.from === 'configMap' && name === TRUST_BUNDLE_NAME) yield `bundle ${namespace}`
    else if (change.from === 'secret') {
      const isOwn = namespace === this.#tools.installation.namespace
      if (isOwn && (name === CA_SECRET_NAME || name === NEXT_CA_SECRET_NAME)) yield AUTHORITY
      else if (isOwn && name === CONTROL_PLANE_TLS_NAME) yield CONTROL_PLANE
      const relay = labels?.[RELAY_LABEL]
      if (relay !== undefined && name === clientCertificateName(relay))
        yield `relay ${keyOf({ namespace, name: relay })}`
    }
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (key === AUTHORITY) return this.#authority()
    const trust = this.#trust
    // The authority has every key looked at once it is there.
    if (trust === undefined) return undefined
    if (key === CONTROL_PLANE) return this.#leaf(this.#controlPlaneLeaf(), trust)
    const [kind = '', rest = ''] = key.split(' ')
    if (kind === 'bundle') return this.#bundle(rest, trust)
    const object = this.#tools.world.object('MeshRelay', rest)
    const leaf = object === undefined ? undefined : this.#relayLeaf(object)
    return leaf === undefined ? undefined : this.#leaf(leaf, trust)
  }

  async #authority(): Promise<ReconcileResult | undefined> {
    const { world, installation } = this.#tools
    const { namespace } = installation
    const read = (name: string) => this.#secrets.read({ name, namespace })
    const [current, next] = [await read(CA_SECRET_NAME), await read(NEXT_CA_SECRET_NAME)]
    const decision = decideAuthority(await this.#facts(current, next))
    if (decision.kind !== 'steady') return this.#changeAuthority()
    this.#waits = decision.waitsFor !== undefined
    const certificate = current?.certificate
    if (certificate === undefined || certificate === 'damaged' || next?.next === 'damaged') return undefined
    const trust = trustFrom(certificate, next?.next)
    if (!isSameTrust(this.#trust, trust)) {
      this.#trust = trust
      this.#tools.enqueue(this.name, CONTROL_PLANE)
      for (const { metadata } of world.objects('MeshRelay')) {
        this.#tools.enqueue(this.name, `bundle ${metadata.namespace}`)
        this.#tools.enqueue(this.name, `relay ${keyOf(metadata)}`)
      }
    }
    return { againAfterMs: Math.min(decision.againAfterMs, MAX_WAIT_MS) }
  }

  /** Decides once more on what the API server says now, and writes. */
  async #changeAuthority(): Promise<ReconcileResult | undefined> {
    const { client, installation, logger } = this.#tools
    const { namespace } = installation
    const find = (name: string) => client.find(SECRETS, { name, namespace })
    const secrets = { current: await find(CA_SECRET_NAME), next: await find(NEXT_CA_SECRET_NAME) }
    const held = (secret: SecretObject | undefined) => (secret === undefined ? undefined : this.#secrets.learn(secret))
    const decision = decideAuthority(await this.#facts(held(secrets.current), held(secrets.next)))
    if (decision.kind === 'damaged') {
      this.#trust = undefined
      this.#tell(decision)
      logger.error({ object: secretOf(decision) }, 'the certificate authority is damaged; no certificate is issued')
      return { againAfterMs: MAX_WAIT_MS }
    }
    if (decision.kind === 'steady') return { againAfterMs: RACE_MS }
    try {
      await applyAuthority(this.#tools, secrets, decision, this.#lives)
    } catch (error) {
      if (!isKubeError(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error
      return { againAfterMs: RACE_MS }
    }
    this.#tell(decision)
    logger.info({ step: decision.kind }, 'certificate authority')
    return { againAfterMs: RACE_MS }
  }

  async #facts(current: Held | undefined, next: Held | undefined): Promise<AuthorityFacts> {
    const isIssuing = next?.next !== undefined && next.next !== 'damaged' && next.next.issuesSinceMs !== undefined
    return {
      current: current?.certificate,
      next: next?.next,
      isRotationWanted: current?.isRotationWanted ?? false,
      reports: this.#reports(),
      leavesOfOthers: isIssuing ? await this.#leavesNotOf(next.certificate) : 0,
      lives: this.#lives,
      nowMs: this.#tools.clock.wallNow(),
    }
  }

  #reports(): InstanceReport[] {
    const reports: InstanceReport[] = []
    for (const { metadata, status } of this.#relays())
      for (const { instance, bundleSHA256 } of status?.relays ?? [])
        reports.push({ instance: `${metadata.namespace}/${instance}`, bundleSHA256 })
    return reports
  }

  async #leavesNotOf(issuer: CertificateFacts | 'damaged'): Promise<number> {
    if (issuer === 'damaged') return 0
    const leaves = [this.#controlPlaneLeaf(), ...[...this.#relays()].flatMap((one) => this.#relayLeaf(one) ?? [])]
    let count = 0
    for (const { metadata } of leaves) {
      const certificate = (await this.#secrets.read(metadata))?.certificate
      if (certificate === undefined || certificate === 'damaged' || !isIssuedBy(certificate, issuer)) count += 1
    }
    return count
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
      if (this.#waits) this.#tools.enqueue(this.name, AUTHORITY)
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

  /** Undefined for a relay that is going, is another installation's, or is stored in a form that cannot be read. */
  #relayLeaf(object: MeshObject): Leaf | undefined {
    const { installation, view } = this.#tools
    const relay = view.valid('MeshRelay', object)
    const { uid, deletionTimestamp, namespace } = object.metadata
    if (relay === undefined || deletionTimestamp !== undefined || !isOurs(object, installation.name)) return undefined
    const { name } = relay.metadata
    const metadata = { ...ownedMetadata({ relay, uid, installation }, clientCertificateName(name)), namespace }
    const subject = relaySubject({ trustDomain: installation.trustDomain, namespace, name, uid })
    return { metadata, subject, hasBundle: false }
  }

  #controlPlaneLeaf(): Leaf {
    const { namespace } = this.#tools.installation
    const metadata = { name: CONTROL_PLANE_TLS_NAME, namespace, labels: { ...LABELS } }
    return { metadata, subject: controlPlaneSubject(namespace), hasBundle: true }
  }

  #tell(decision: AuthorityDecision): void {
    const note = NOTES[decision.kind]
    if (note === undefined) return
    this.#tools.events.record({
      regarding: {
        apiVersion: 'v1',
        kind: 'Secret',
        name: secretOf(decision),
        namespace: this.#tools.installation.namespace,
      },
      type: decision.kind === 'damaged' ? 'Warning' : 'Normal',
      reason: note.reason,
      action: 'RotateAuthority',
      note: note.text,
    })
  }
}

const PART_OF = 'app.kubernetes.io/part-of'
const DIGEST = 'mesh.causeway.dev/sha256'
const RACE_MS = 250
/** Clocks step: nothing is left alone for longer. */
const MAX_WAIT_MS = 10 * 60_000

function heldIn(secret: SecretObject): Held {
  return {
    certificate: certificateOf(secret),
    next: secret.metadata.name === NEXT_CA_SECRET_NAME ? nextAuthorityOf(secret) : undefined,
    bundle: bundleIn(secret),
    isRotationWanted: secret.metadata.annotations?.[ROTATE_CA_ANNOTATION] === 'now',
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isKubeError(error, 'NotFound')) throw error
}

function secretOf(decision: AuthorityDecision): string {
  const isNext = decision.kind === 'publishNext' || (decision.kind === 'damaged' && decision.which === 'next')
  return isNext ? NEXT_CA_SECRET_NAME : CA_SECRET_NAME
}

const NOTES: Partial<Record<AuthorityDecision['kind'], { readonly reason: string; readonly text: string }>> = {
  create: { reason: 'AuthorityCreated', text: 'A certificate authority was made for this installation.' },
  publishNext: { reason: 'AuthorityPublished', text: 'The next certificate authority is published beside this one.' },
  issueFromNext: { reason: 'AuthoritySwitched', text: 'Certificates are issued by the next authority from now on.' },
  promoteNext: { reason: 'AuthorityRotated', text: 'The old certificate authority is dropped; the rotation is over.' },
  damaged: {
    reason: 'AuthorityDamaged',
    text: 'This Secret holds no certificate with its key. Restore it; or delete it, and every certificate is issued anew.',
  },
}
