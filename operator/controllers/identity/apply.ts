import type { JsonPatchOperation } from '@causeway/kube'
import { DATA_KEYS, type IdentitySlot } from '@causeway/mesh-api'
import type { CryptoProvider, SigningKey } from '@causeway/npamp'
import { newIdentityPem, parseIdentity } from '@causeway/npamp/crypto/node'
import { ownerReference } from '../../infra/relay-input.ts'
import { meshType, SECRETS, type SecretObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import type { IdentityDecision } from './decision.ts'
import type { IdentityStatus } from './facts.ts'
import { type Gathered, ROTATE_ANNOTATION } from './gather.ts'
import { activeStatus, announcedStatus, recountedStatus, settledStatus, switchedStatus } from './next-status.ts'
import { IDENTITY_MANAGER, identitySecret } from './secrets.ts'
import { statementOf } from './statement.ts'

/** The Secrets as they were read for the decision. */
export type SlotSecrets = Readonly<Record<IdentitySlot, SecretObject | undefined>>

export interface Application {
  readonly tools: Pick<Tools, 'client' | 'clock'>
  readonly provider: CryptoProvider
  readonly gathered: Gathered
  readonly secrets: SlotSecrets
}

/**
 * One write, which only succeeds on what the decision was made of: a key is created, never applied (CONTROL section 4);
 * everything else carries a resource version or a uid. Rejects with `Conflict` or `AlreadyExists` when somebody was faster.
 */
export async function applyIdentity(application: Application, decision: IdentityDecision): Promise<void> {
  switch (decision.kind) {
    case 'createKey':
      return createKey(application, decision.slot, decision.sequence)
    case 'deleteKey':
      return deleteKey(application, decision.slot)
    case 'setOwner':
      return setOwner(application, decision.slot, decision.isOwned)
    case 'clearRequest':
      return clearRequest(application)
    case 'stuck':
    case 'letGo':
    case 'steady':
      return
    default: {
      const status = statusAfter(application, decision)
      if (status !== undefined) await writeStatus(application, status)
    }
  }
}

function statusAfter(application: Application, decision: IdentityDecision): IdentityStatus | undefined {
  const { status, slots, secretNames, nowMs } = application.gathered.facts
  if (decision.kind === 'adopt') {
    const held = slots[decision.slot]
    return held.kind === 'key' ? activeStatus(held, secretNames[decision.slot], nowMs) : undefined
  }
  if (status === undefined) return undefined
  switch (decision.kind) {
    case 'announce':
      return announced(application, status, decision.slot)
    case 'switch':
      return switchedStatus(status, nowMs)
    case 'retire':
      return settledStatus(status, 'Retired', nowMs)
    case 'abandonNext':
      return settledStatus(status, 'Active', nowMs)
    case 'recount':
      return recountedStatus(status, nowMs)
    default:
      return undefined
  }
}

function announced(application: Application, status: IdentityStatus, slot: IdentitySlot): IdentityStatus | undefined {
  const { gathered, provider, secrets } = application
  const { slots, secretNames, nowMs, overlapMs } = gathered.facts
  const held = slots[slot]
  const current = signingKey(secrets[slot === 'a' ? 'b' : 'a'])
  const next = signingKey(secrets[slot])
  if (held.kind !== 'key' || current === undefined || next === undefined) return undefined
  const successor = statementOf({ current, next }, { nowMs, overlapMs }, provider)
  return announcedStatus(status, { peerHandle: held.peerHandle, secretName: secretNames[slot], successor }, nowMs)
}

/** Undefined for a Secret without a usable key. */
export function signingKey(secret: SecretObject | undefined): SigningKey | undefined {
  const text = secret?.data?.[DATA_KEYS.identity]
  if (text === undefined) return undefined
  const octets = Buffer.from(text, 'base64')
  try {
    return parseIdentity(DATA_KEYS.identity, octets).key
  } catch {
    return undefined
  } finally {
    octets.fill(0)
  }
}

async function writeStatus({ tools, gathered }: Application, identity: IdentityStatus): Promise<void> {
  const { name, namespace, uid, resourceVersion } = gathered.object.metadata
  const object = { metadata: { name, namespace, uid, resourceVersion }, status: { identity } }
  await tools.client.applyStatus(meshType('MeshRelay'), object, { fieldManager: IDENTITY_MANAGER, force: true })
}

async function createKey(application: Application, slot: IdentitySlot, sequence: number): Promise<void> {
  const { tools, gathered } = application
  const { relay, object, facts } = gathered
  const pem = newIdentityPem()
  try {
    const name = facts.secretNames[slot]
    await tools.client.create(SECRETS, identitySecret(relay, object.metadata.uid, name, { pem, sequence }))
  } finally {
    pem.fill(0)
  }
}

async function deleteKey({ tools, gathered, secrets }: Application, slot: IdentitySlot): Promise<void> {
  const metadata = secrets[slot]?.metadata
  if (metadata === undefined) return
  const { uid = '', resourceVersion = '' } = metadata
  const ref = { name: gathered.facts.secretNames[slot], namespace: gathered.object.metadata.namespace }
  await tools.client.delete(SECRETS, ref, { preconditions: { uid, resourceVersion } })
}

async function setOwner({ tools, gathered, secrets }: Application, slot: IdentitySlot, isOwned: boolean) {
  const secret = secrets[slot]
  if (secret === undefined) return
  const { relay, object } = gathered
  const others = (secret.metadata.ownerReferences ?? []).filter(({ kind }) => kind !== 'MeshRelay')
  const ownerReferences = isOwned ? [...others, ownerReference(relay, object.metadata.uid)] : others
  await tools.client.replace(SECRETS, { ...secret, metadata: { ...secret.metadata, ownerReferences } })
}

async function clearRequest({ tools, gathered }: Application): Promise<void> {
  const { name, namespace, resourceVersion } = gathered.object.metadata
  const patch: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'remove', path: `/metadata/annotations/${ROTATE_ANNOTATION.replaceAll('/', '~1')}` },
  ]
  await tools.client.patch(meshType('MeshRelay'), { name, namespace }, { kind: 'json', patch })
}
