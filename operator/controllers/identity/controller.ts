import { isKubeError, keyOf, type ReconcileResult, refOf } from '@causeway/kube'
import { identitySecretName, RELAY_LABEL } from '@causeway/mesh-api'
import type { CryptoProvider } from '@causeway/npamp'
import { DataMemo } from '../../world/data-memo.ts'
import { isManaged, type MeshObject, meshType, SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Change } from '../../world/world.ts'
import { type Responsibility, regarding, type Tools } from '../responsibility.ts'
import { applyIdentity, type SlotSecrets, signingKey } from './apply.ts'
import { decideIdentity } from './decide.ts'
import { isOverdue } from './decide-time.ts'
import type { IdentityDecision } from './decision.ts'
import type { SlotFacts } from './facts.ts'
import { followedBy, type Gathered, gatherIdentity } from './gather.ts'
import { slotFacts } from './secrets.ts'
import { statementEndMs } from './statement.ts'

export interface IdentityOptions {
  readonly tools: Tools
  readonly provider: CryptoProvider
  /** How long a switched key is given, at least, before the old one goes. */
  readonly settleMs: number
}

/** What the identity of a relay allows: its Ready condition takes this over. */
export type IdentityVerdict =
  | { readonly kind: 'good'; readonly waitsFor?: string }
  | { readonly kind: 'pending' }
  | { readonly kind: 'bad'; readonly reason: string; readonly message: string }

/** Keeps the keys of relays (CONTROL section 5). Keys: `namespace/name` of a MeshRelay. */
export class IdentityController implements Responsibility {
  readonly name = 'identity'
  readonly workers = 4
  readonly #options: IdentityOptions
  readonly #slots: DataMemo<SecretObject, SlotFacts>
  readonly #verdicts = new Map<string, IdentityVerdict>()
  /** Until when the statement of an announced key holds, as it was verified last. */
  readonly #statements = new Map<string, number>()
  /** Of which rotation it was told that it takes too long: since when it is announced. */
  readonly #told = new Map<string, string>()

  constructor(options: IdentityOptions) {
    this.#options = options
    const { client, world } = options.tools
    this.#slots = new DataMemo({ client, type: SECRETS, metadata: world.secrets, read: slotFacts })
  }

  *keysOf(change: Change): Iterable<string> {
    if (change.from === 'mesh' && change.kind === 'MeshRelay') yield keyOfEither(change)
    else if (change.from === 'mesh' && change.kind === 'MeshPeer') yield* followedByEither(change)
    else if (change.from === 'secret') {
      const { namespace = '', labels, name } = (change.object ?? change.old)?.metadata ?? { name: '' }
      const key = keyOf({ namespace, name: labels?.[RELAY_LABEL] ?? '' })
      if (this.#options.tools.world.object('MeshRelay', key) !== undefined) yield key
      else yield* this.#byName(namespace, name)
    }
  }

  /** Undefined: not looked at yet. The workload is looked at again when it has been. */
  verdict(key: string): IdentityVerdict | undefined {
    return this.#verdicts.get(key)
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const object = this.#options.tools.world.object('MeshRelay', key)
    if (object === undefined) {
      this.#verdicts.delete(key)
      this.#statements.delete(key)
      this.#told.delete(key)
      return undefined
    }
    if (!isManaged(object, this.#options.tools.installation.name)) return undefined
    const known = await this.#known(object)
    // Not valid when it was seen first: it keeps what it has.
    if (known === undefined) return undefined
    const decision = decideIdentity(known.facts)
    this.#judge(key, decision)
    this.#tellOverdue(key, known, decision)
    if (decision.kind === 'steady' || decision.kind === 'letGo') return again(decision.againAfterMs)
    return this.#step(key)
  }

  /** Decides once more on what the API server says now, and writes. */
  async #step(key: string): Promise<ReconcileResult | undefined> {
    const { tools, provider } = this.#options
    const object = await tools.client.find(meshType('MeshRelay'), refOf(key))
    if (object === undefined || !isManaged(object, tools.installation.name)) return undefined
    const live = await this.#live(object)
    if (live === undefined) return undefined
    const decision = decideIdentity(live.gathered.facts)
    this.#judge(key, decision)
    if (decision.kind === 'stuck') return undefined
    if (decision.kind === 'steady' || decision.kind === 'letGo') return again(decision.againAfterMs)
    try {
      await applyIdentity({ tools, provider, ...live }, decision)
    } catch (error) {
      // Somebody was faster; what is true now is told by the watch, or found by the next look.
      if (!isKubeError(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error
      return { againAfterMs: RACE_MS }
    }
    this.#tell(live.gathered, decision)
    return { againAfterMs: 1 }
  }

  async #known(object: MeshObject): Promise<Gathered | undefined> {
    const { tools, settleMs } = this.#options
    const relay = tools.mesh.inForce('MeshRelay', object)
    if (relay === undefined) return undefined
    const { name, namespace } = relay.metadata
    const read = async (slot: 'a' | 'b') =>
      (await this.#slots.read({ name: identitySecretName(name, slot), namespace })) ?? ABSENT
    const slots = { a: await read('a'), b: await read('b') }
    // Verified when it is read from the API server, not at every look.
    const statementNotAfterMs = this.#statements.get(keyOf(relay.metadata))
    return gatherIdentity(tools, { object, relay, slots, statementNotAfterMs, settleMs })
  }

  async #live(object: MeshObject): Promise<{ gathered: Gathered; secrets: SlotSecrets } | undefined> {
    const { tools, settleMs, provider } = this.#options
    const relay = tools.mesh.inForce('MeshRelay', object)
    if (relay === undefined) return undefined
    const { name, namespace } = relay.metadata
    const find = (slot: 'a' | 'b') => tools.client.find(SECRETS, { name: identitySecretName(name, slot), namespace })
    const secrets: SlotSecrets = { a: await find('a'), b: await find('b') }
    const facts = (secret: SecretObject | undefined) => (secret === undefined ? ABSENT : this.#slots.learn(secret))
    const slots = { a: facts(secrets.a), b: facts(secrets.b) }
    const status = object.status?.identity
    const current = signingKey(status?.secretName === identitySecretName(name, 'b') ? secrets.b : secrets.a)
    const nowMs = tools.clock.wallNow()
    const statementNotAfterMs =
      current === undefined
        ? undefined
        : statementEndMs(status?.successor, { current, nextHandle: status?.next }, nowMs, provider)
    if (statementNotAfterMs === undefined) this.#statements.delete(keyOf(relay.metadata))
    else this.#statements.set(keyOf(relay.metadata), statementNotAfterMs)
    return { gathered: gatherIdentity(tools, { object, relay, slots, statementNotAfterMs, settleMs }), secrets }
  }

  #judge(key: string, decision: IdentityDecision): void {
    const verdict = verdictOf(decision)
    const before = JSON.stringify(this.#verdicts.get(key))
    this.#verdicts.set(key, verdict)
    if (JSON.stringify(verdict) !== before) this.#options.tools.enqueue('workload', key)
  }

  /** Once for each rotation. */
  #tellOverdue(key: string, { object, facts }: Gathered, decision: IdentityDecision): void {
    const { status } = facts
    if (decision.kind !== 'steady' || decision.waitsFor === undefined || status === undefined) return
    if (!isOverdue(facts) || this.#told.get(key) === status.since) return
    this.#told.set(key, status.since)
    this.#options.tools.events.record({
      regarding: regarding('MeshRelay', object),
      type: 'Warning',
      reason: 'RotationWaits',
      action: 'RotateIdentity',
      note: `The next identity key was announced at ${status.since} and still waits for ${decision.waitsFor}.`,
    })
  }

  #tell({ object, facts }: Gathered, decision: IdentityDecision): void {
    const note = NOTES[decision.kind]
    if (note === undefined) return
    this.#options.tools.events.record({
      regarding: regarding('MeshRelay', object),
      type: decision.kind === 'abandonNext' ? 'Warning' : 'Normal',
      reason: note.reason,
      action: 'RotateIdentity',
      note: note.text(facts.status?.peerHandle ?? '', facts.status?.next ?? ''),
    })
  }

  /** A label has no room for a long name, and a Secret that a person restored may have lost its labels. */
  *#byName(namespace: string, secret: string): Iterable<string> {
    if (!secret.includes('-identity-')) return
    for (const { metadata } of this.#options.tools.world.objects('MeshRelay')) {
      if (metadata.namespace !== namespace) continue
      const names = [identitySecretName(metadata.name, 'a'), identitySecretName(metadata.name, 'b')]
      if (names.includes(secret)) yield keyOf(metadata)
    }
  }
}

const ABSENT: SlotFacts = { kind: 'absent' }
/** After somebody was faster: long enough for the watch to tell. */
const RACE_MS = 250
/** No decision is left alone for longer: clocks step, and what others report is not always an event. */
const MAX_WAIT_MS = 10 * 60_000

function again(afterMs: number | undefined): ReconcileResult {
  return { againAfterMs: Math.min(afterMs ?? MAX_WAIT_MS, MAX_WAIT_MS) }
}

function verdictOf(decision: IdentityDecision): IdentityVerdict {
  if (decision.kind === 'stuck') return { kind: 'bad', reason: decision.reason, message: decision.message }
  if (decision.kind === 'createKey' && decision.sequence === 1) return { kind: 'pending' }
  if (decision.kind === 'adopt' || decision.kind === 'letGo') return { kind: 'pending' }
  if (decision.kind === 'steady' && decision.waitsFor !== undefined)
    return { kind: 'good', waitsFor: decision.waitsFor }
  return { kind: 'good' }
}

/** The relays that a peer follows, and followed. */
function followedByEither({ object, old }: Extract<Change, { from: 'mesh' }>): ReadonlySet<string> {
  return new Set([object, old].flatMap((one) => (one === undefined ? [] : (followedBy(one) ?? []))))
}

function keyOfEither(change: Extract<Change, { from: 'mesh' }>): string {
  return keyOf((change.object ?? change.old)?.metadata ?? { name: '' })
}

interface Note {
  readonly reason: string
  readonly text: (current: string, next: string) => string
}

/** What a person should know. */
const NOTES: Partial<Record<IdentityDecision['kind'], Note>> = {
  createKey: { reason: 'KeyCreated', text: () => 'A new identity key was made.' },
  adopt: { reason: 'IdentityAdopted', text: () => 'The key in the Secret of this name is the identity of this relay.' },
  announce: { reason: 'IdentityAnnounced', text: () => 'The next identity key is announced to peers.' },
  switch: {
    reason: 'IdentitySwitched',
    text: (from, to) => `The relay signs as ${to} from now on, no longer as ${from}.`,
  },
  retire: { reason: 'IdentityRetired', text: (current) => `The rotation is over; only ${current} is left.` },
  deleteKey: { reason: 'KeyDeleted', text: () => 'A retired identity key was deleted.' },
  abandonNext: {
    reason: 'RotationAbandoned',
    text: (_, next) => `The announced key of ${next} is gone; the rotation ends.`,
  },
}
