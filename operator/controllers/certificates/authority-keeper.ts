import { isKubeError, type ReconcileResult } from '@causeway/kube'
import { CA_SECRET_NAME } from '@causeway/mesh-api'
import { type CertificateFacts, isIssuedBy } from '../../pki/facts.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import { type MeshObject, SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import { applyAuthority } from './apply-authority.ts'
import type { Leaf } from './apply-leaf.ts'
import {
  type AuthorityDecision,
  type AuthorityFacts,
  decideAuthority,
  type InstanceReport,
} from './decide-authority.ts'
import type { Held, HeldSecrets } from './held.ts'
import type { Lives } from './lives.ts'
import { isSameTrust, type Trust, trustFrom } from './trust.ts'

export interface AuthorityKeeperOptions {
  readonly tools: Tools
  readonly lives: Lives
  readonly secrets: HeldSecrets
  /** Those of this installation. */
  readonly relays: () => Iterable<MeshObject>
  /** Every certificate that the authority answers for. */
  readonly leaves: () => readonly Leaf[]
  readonly trustChanged: () => void
}

const RACE_MS = 250
/** Clocks step: nothing is left alone for longer. */
const MAX_WAIT_MS = 10 * 60_000

/** Keeps the certificate authority, and rotates it (CONTROL section 2). */
export class AuthorityKeeper {
  readonly #options: AuthorityKeeperOptions
  #trust: Trust | undefined
  #isWaiting = false

  constructor(options: AuthorityKeeperOptions) {
    this.#options = options
  }

  /** Undefined before the authority was looked at, and while it is damaged. */
  get trust(): Trust | undefined {
    return this.#trust
  }

  /** Whether a rotation waits for what instances report, or for certificates to be renewed. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  async reconcile(): Promise<ReconcileResult | undefined> {
    const { tools, secrets, trustChanged } = this.#options
    const { namespace } = tools.installation
    const read = (name: string) => secrets.read({ name, namespace })
    const [current, next] = [await read(CA_SECRET_NAME), await read(NEXT_CA_SECRET_NAME)]
    const decision = decideAuthority(await this.#facts(current, next))
    if (decision.kind !== 'steady') return this.#step()
    this.#isWaiting = decision.waitsFor !== undefined
    const certificate = current?.certificate
    if (certificate === undefined || certificate === 'damaged' || next?.next === 'damaged') return undefined
    const trust = trustFrom(certificate, next?.next)
    if (!isSameTrust(this.#trust, trust)) {
      this.#trust = trust
      trustChanged()
    }
    return { againAfterMs: Math.min(decision.againAfterMs, MAX_WAIT_MS) }
  }

  /** Decides once more on what the API server says now, and writes. */
  async #step(): Promise<ReconcileResult | undefined> {
    const { tools, lives, secrets } = this.#options
    const { namespace } = tools.installation
    const find = (name: string) => tools.client.find(SECRETS, { name, namespace })
    const found = { current: await find(CA_SECRET_NAME), next: await find(NEXT_CA_SECRET_NAME) }
    const held = (secret: SecretObject | undefined) => (secret === undefined ? undefined : secrets.learn(secret))
    const decision = decideAuthority(await this.#facts(held(found.current), held(found.next)))
    if (decision.kind === 'damaged') {
      this.#trust = undefined
      this.#tell(decision)
      const object = secretOf(decision)
      tools.logger.error({ object }, 'the certificate authority is damaged; no certificate is issued')
      return { againAfterMs: MAX_WAIT_MS }
    }
    if (decision.kind === 'steady') return { againAfterMs: RACE_MS }
    try {
      await applyAuthority(tools, found, decision, lives)
    } catch (error) {
      // Somebody was faster.
      if (!isKubeError(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error
      return { againAfterMs: RACE_MS }
    }
    this.#tell(decision)
    tools.logger.info({ step: decision.kind }, 'certificate authority')
    return { againAfterMs: RACE_MS }
  }

  async #facts(current: Held | undefined, next: Held | undefined): Promise<AuthorityFacts> {
    const { lives, tools } = this.#options
    const isIssuing = next?.next !== undefined && next.next !== 'damaged' && next.next.issuesSinceMs !== undefined
    return {
      current: current?.certificate,
      next: next?.next,
      isRotationWanted: current?.isRotationWanted ?? false,
      reports: this.#reports(),
      leavesOfOthers: isIssuing ? await this.#leavesNotOf(next.certificate) : 0,
      lives,
      nowMs: tools.clock.wallNow(),
    }
  }

  #reports(): InstanceReport[] {
    return [...this.#options.relays()].flatMap(({ metadata, status }) =>
      (status?.relays ?? []).map(({ instance, bundleSHA256 }) => ({
        instance: `${metadata.namespace}/${instance}`,
        bundleSHA256,
      })),
    )
  }

  async #leavesNotOf(issuer: CertificateFacts | 'damaged'): Promise<number> {
    if (issuer === 'damaged') return 0
    let count = 0
    for (const { metadata } of this.#options.leaves()) {
      const certificate = (await this.#options.secrets.read(metadata))?.certificate
      if (certificate === undefined || certificate === 'damaged' || !isIssuedBy(certificate, issuer)) count += 1
    }
    return count
  }

  #tell(decision: AuthorityDecision): void {
    const note = NOTES[decision.kind]
    if (note === undefined) return
    const { events, installation } = this.#options.tools
    events.record({
      regarding: { apiVersion: 'v1', kind: 'Secret', name: secretOf(decision), namespace: installation.namespace },
      type: decision.kind === 'damaged' ? 'Warning' : 'Normal',
      reason: note.reason,
      action: 'RotateAuthority',
      note: note.text,
    })
  }
}

function secretOf(decision: AuthorityDecision): string {
  const isNext = decision.kind === 'publishNext' || (decision.kind === 'damaged' && decision.which === 'next')
  return isNext ? NEXT_CA_SECRET_NAME : CA_SECRET_NAME
}

/** What a person should know. */
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
