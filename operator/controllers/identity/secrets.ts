import { DATA_KEYS, FIELD_MANAGERS, type MeshRelay, workloadLabels } from '@causeway/mesh-api'
import { IdentityFileError, parseIdentity } from '@causeway/npamp/crypto/node'
import { ownerReference } from '../../infra/relay-input.ts'
import type { SecretObject } from '../../world/resource-types.ts'
import type { SlotFacts } from './facts.ts'

/** The how-manieth key of its identity a Secret holds. */
const SEQUENCE_ANNOTATION = 'mesh.causeway.dev/identity-sequence'

/** Reads what the Secret of a slot holds; the key itself is wiped. */
export function slotFacts(secret: SecretObject): SlotFacts {
  const text = secret.data?.[DATA_KEYS.identity]
  const ownerUid = secret.metadata.ownerReferences?.find(({ kind }) => kind === 'MeshRelay')?.uid
  if (text === undefined) return { kind: 'damaged', why: `has no ${DATA_KEYS.identity}`, ownerUid }
  const octets = Buffer.from(text, 'base64')
  try {
    const { peerHandle, algorithm } = parseIdentity(DATA_KEYS.identity, octets)
    const sequence = Number(secret.metadata.annotations?.[SEQUENCE_ANNOTATION])
    return {
      kind: 'key',
      peerHandle,
      algorithm,
      sequence: Number.isSafeInteger(sequence) && sequence > 0 ? sequence : 0,
      ownerUid,
    }
  } catch (error) {
    if (!(error instanceof IdentityFileError)) throw error
    return { kind: 'damaged', why: `is of no use: ${error.message}`, ownerUid }
  } finally {
    octets.fill(0)
  }
}

/** CONTROL section 5: without an owner, so that it survives its relay, unless the relay says otherwise. */
export function identitySecret(
  relay: MeshRelay,
  uid: string,
  name: string,
  { pem, sequence }: { readonly pem: Buffer; readonly sequence: number },
): SecretObject {
  const isOwned = relay.spec.identity.deletionPolicy === 'Delete'
  return {
    metadata: {
      name,
      namespace: relay.metadata.namespace,
      labels: { ...workloadLabels(relay.metadata.name) },
      annotations: { [SEQUENCE_ANNOTATION]: String(sequence) },
      ...(isOwned ? { ownerReferences: [ownerReference(relay, uid)] } : {}),
    },
    type: 'Opaque',
    data: { [DATA_KEYS.identity]: pem.toString('base64') },
  }
}

/** Each controller owns its own fields of a status (CONTROL section 4). */
export const IDENTITY_MANAGER = `${FIELD_MANAGERS.operator}-identity`
