import { DATA_KEYS } from '@causeway/mesh-api'
import { issueLeaf, type KeyPair, type LeafSubject } from '../../pki/authority.ts'
import { factsOf, nameText } from '../../pki/facts.ts'
import { SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import { bundleIn, keyPairOf, tlsSecret } from './authority-secrets.ts'
import { decideLeaf, type LeafReason } from './decide-leaf.ts'
import type { Lives } from './lives.ts'
import { readIssuer, type Trust } from './trust.ts'

/** A Secret with a certificate of ours, and what it is for. */
export interface Leaf {
  readonly metadata: SecretObject['metadata'] & { readonly namespace: string }
  readonly subject: LeafSubject
  /** Whether `ca.crt` stands beside it. */
  readonly hasBundle: boolean
}

/**
 * Looks once more at what the API server has, and writes the Secret that should be there. Resolves with the Secret and why
 * it was issued; undefined when nothing had to be written, or the authority changed meanwhile.
 */
export async function applyLeaf(
  tools: Pick<Tools, 'client' | 'clock' | 'installation'>,
  leaf: Leaf,
  trust: Trust,
  lives: Lives,
): Promise<{ readonly secret: SecretObject; readonly reason: LeafReason | 'Bundle' } | undefined> {
  const { client, clock } = tools
  const { name, namespace } = leaf.metadata
  const live = await client.find(SECRETS, { name, namespace })
  const pair = live === undefined ? undefined : keyPairOf(live)
  const nowMs = clock.wallNow()
  const decision = decideLeaf({
    held: pair === undefined ? undefined : (factsOf(pair) ?? 'damaged'),
    names: leaf.subject.names.map(nameText).sort(),
    issuer: trust.issuer,
    nowMs,
  })
  const isBundleGood = !leaf.hasBundle || (live !== undefined && bundleIn(live) === trust.bundle)
  if (decision.kind === 'keep' && isBundleGood) return undefined
  const next = decision.kind === 'keep' ? pair : await issue(tools, leaf, trust, { nowMs, lifeMs: lives.leafMs })
  if (next === undefined) return undefined
  const reason = decision.kind === 'keep' ? 'Bundle' : decision.reason
  const more: Readonly<Record<string, string>> = leaf.hasBundle ? { [DATA_KEYS.authorities]: trust.bundle } : {}
  if (live === undefined) {
    return { reason, secret: await client.create(SECRETS, tlsSecret(leaf.metadata, next, more)) }
  }
  const { labels, ownerReferences } = leaf.metadata
  // Carries the resource version that was read.
  const metadata = {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...labels },
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  }
  return {
    reason,
    secret: await client.replace(SECRETS, { ...tlsSecret(metadata, next, more), type: live.type ?? 'Opaque' }),
  }
}

async function issue(
  tools: Pick<Tools, 'client' | 'installation'>,
  { subject }: Leaf,
  trust: Trust,
  validity: { readonly nowMs: number; readonly lifeMs: number },
): Promise<KeyPair | undefined> {
  const issuer = await readIssuer(tools, trust)
  return issuer === undefined ? undefined : issueLeaf(issuer, subject, validity)
}
