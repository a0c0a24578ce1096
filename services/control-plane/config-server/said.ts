import { create } from '@bufbuild/protobuf'
import { isPeerHandle } from '@causeway/npamp'
import {
  type BackendStatus,
  BackendStatusSchema,
  type DeltaReply,
  type InstanceStatus,
  InstanceStatusSchema,
  type PeerStatus,
  PeerStatusSchema,
  resourceKindOf,
} from '@causeway/rpc'
import { type ObjectKey, objectKey, resourceKey } from '../snapshot/object-key.ts'
import { hexOf } from '../snapshot/resource.ts'
import type { RefusedResource } from './held.ts'

/**
 * What an instance says, as far as it can be of use. Whoever has the certificate of one relay may say anything: nothing of it
 * may take room without bound, end this process, or make a status that an API server does not take.
 */
const MAX_TEXT = 1_024
const MAX_FIELD_PATH = 256
/** As `handles` of `status.relays[]` has room for. */
const MAX_SUCCESSORS = 16
const DIGEST_OCTETS = 32

/** As in metav1.Condition, and no longer than a word. */
const REASON = /^[A-Za-z]([A-Za-z0-9_]{0,62}[A-Za-z0-9])?$/

/** All that it refuses, of what it has. */
export function refusalsOf(
  { refusals }: DeltaReply,
  has: (key: ObjectKey) => boolean,
): Map<ObjectKey, RefusedResource> {
  const refused = new Map<ObjectKey, RefusedResource>()
  for (const { kind, name, version, reason, fieldPath, message } of refusals) {
    const known = resourceKindOf(kind)
    if (known === undefined || version.length !== DIGEST_OCTETS) continue
    const key = resourceKey(known, name)
    if (!has(key)) continue
    refused.set(key, {
      versionHex: hexOf(version),
      reason: REASON.test(reason) ? reason : 'Unknown',
      fieldPath: cut(fieldPath, MAX_FIELD_PATH),
      message: cut(message, MAX_TEXT),
    })
  }
  return refused
}

/** Its status, of what it has. */
export function statusOf(
  { peerHandle, trustBundleSha256, peers, backends, heldIdentities }: InstanceStatus,
  has: (key: ObjectKey) => boolean,
): InstanceStatus {
  return create(InstanceStatusSchema, {
    peerHandle: isPeerHandle(peerHandle) ? peerHandle : '',
    trustBundleSha256: trustBundleSha256.length === DIGEST_OCTETS ? trustBundleSha256 : new Uint8Array(),
    peers: peers.filter(({ name }) => has(objectKey('MeshPeer', name))).map(peerOf),
    backends: backends.filter(({ name }) => has(objectKey('MeshBackend', name))).map(backendOf),
    heldIdentities: heldIdentities.filter(isPeerHandle).slice(0, MAX_SUCCESSORS),
  })
}

function peerOf(peer: PeerStatus): PeerStatus {
  return create(PeerStatusSchema, {
    ...peer,
    message: cut(peer.message, MAX_TEXT),
    pinnedSuccessors: peer.pinnedSuccessors.filter(isPeerHandle).slice(0, MAX_SUCCESSORS),
    peerHandle: isPeerHandle(peer.peerHandle) ? peer.peerHandle : '',
  })
}

function backendOf(backend: BackendStatus): BackendStatus {
  return create(BackendStatusSchema, { ...backend, message: cut(backend.message, MAX_TEXT) })
}

/** Of one line, without signs that a terminal obeys: people read it in conditions, and some of it a far peer has said. */
function cut(text: string, max: number): string {
  const short = text.length <= max ? text : `${text.slice(0, max - 1)}…`
  return short.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
}
