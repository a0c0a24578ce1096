import { CA_SECRET_NAME } from '@causeway/mesh-api'
import { mintAuthority } from '../../pki/authority.ts'
import { NEXT_CA_SECRET_NAME } from '../../pki/secret-names.ts'
import { SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import { ISSUES_SINCE_ANNOTATION, keyPairOf, ROTATE_CA_ANNOTATION, tlsSecret } from './authority-secrets.ts'
import type { AuthorityDecision } from './decide-authority.ts'
import type { Lives } from './lives.ts'

/** The two Secrets as they were read for the decision. */
export interface AuthoritySecrets {
  readonly current: SecretObject | undefined
  readonly next: SecretObject | undefined
}

/** One or two writes, each of which only succeeds on what the decision was made of. */
export async function applyAuthority(
  tools: Pick<Tools, 'client' | 'clock' | 'installation'>,
  { current, next }: AuthoritySecrets,
  decision: AuthorityDecision,
  lives: Lives,
): Promise<void> {
  const { client, clock, installation } = tools
  const { namespace } = installation
  const nowMs = clock.wallNow()
  switch (decision.kind) {
    case 'create':
    case 'publishNext': {
      const name = decision.kind === 'create' ? CA_SECRET_NAME : NEXT_CA_SECRET_NAME
      const pair = await mintAuthority({ nowMs, lifeMs: lives.authorityMs })
      await client.create(SECRETS, tlsSecret({ name, namespace, labels: { ...LABELS } }, pair))
      return
    }
    case 'issueFromNext': {
      if (next === undefined) return
      const annotations = { ...next.metadata.annotations, [ISSUES_SINCE_ANNOTATION]: new Date(nowMs).toISOString() }
      await client.replace(SECRETS, { ...next, metadata: { ...next.metadata, annotations } })
      return
    }
    case 'promoteNext': {
      if (next === undefined) return
      const pair = keyPairOf(next)
      if (current === undefined) {
        await client.create(SECRETS, tlsSecret({ name: CA_SECRET_NAME, namespace, labels: { ...LABELS } }, pair))
        return
      }
      const { [ROTATE_CA_ANNOTATION]: _, ...annotations } = current.metadata.annotations ?? {}
      await client.replace(SECRETS, { ...tlsSecret({ ...current.metadata, annotations }, pair) })
      return
    }
    case 'removeNext': {
      if (next === undefined) return
      const { uid = '', resourceVersion = '' } = next.metadata
      await client.delete(
        SECRETS,
        { name: NEXT_CA_SECRET_NAME, namespace },
        { preconditions: { uid, resourceVersion } },
      )
      return
    }
    default:
      return
  }
}

export const LABELS = {
  'app.kubernetes.io/managed-by': 'causeway-operator',
  'app.kubernetes.io/part-of': 'causeway',
} as const
