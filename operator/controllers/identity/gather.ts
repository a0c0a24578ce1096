import { keyOf } from '@causeway/kube'
import { durationMs, type IdentitySlot, identitySecretName, type MeshRelay } from '@causeway/mesh-api'
import type { InstanceStatus } from '../../status/mesh-status.ts'
import type { MeshObject } from '../../world/resource-types.ts'
import type { Tools } from '../responsibility.ts'
import type { IdentityFacts, SlotFacts } from './facts.ts'

/** An annotation of a MeshRelay with the value `now`: the next key is announced without waiting for `rotation.every`. */
export const ROTATE_ANNOTATION = 'mesh.causeway.dev/rotate-identity'

export interface Gathered {
  readonly object: MeshObject
  readonly relay: MeshRelay
  readonly facts: IdentityFacts
}

export interface Source {
  readonly object: MeshObject
  readonly relay: MeshRelay
  readonly slots: Readonly<Record<IdentitySlot, SlotFacts>>
  readonly statementNotAfterMs: number | undefined
  readonly settleMs: number
}

/** The facts that the decision is made of. */
export function gatherIdentity(tools: Pick<Tools, 'clock' | 'world'>, source: Source): Gathered {
  const { object, relay, slots, statementNotAfterMs, settleMs } = source
  const { rotation, algorithm, deletionPolicy } = relay.spec.identity
  const status = object.status?.identity
  const { name } = relay.metadata
  const facts: IdentityFacts = {
    uid: object.metadata.uid,
    status,
    slots,
    secretNames: { a: identitySecretName(name, 'a'), b: identitySecretName(name, 'b') },
    algorithm,
    everyMs: rotation.every === undefined ? undefined : durationMs(rotation.every),
    overlapMs: durationMs(rotation.overlap),
    deletionPolicy,
    isRotationWanted: object.metadata.annotations?.[ROTATE_ANNOTATION] === 'now',
    statementNotAfterMs,
    peersBehind: status?.next === undefined ? [] : peersBehind(tools, relay, status.next),
    instancesBehind: instancesBehind(object.status?.relays ?? [], object.metadata.namespace, status?.peerHandle),
    settleMs,
    nowMs: tools.clock.wallNow(),
  }
  return { object, relay, facts }
}

/**
 * The relay, `namespace/name`, that a MeshPeer follows by `identityFrom`. Read from what is stored, whatever else of it is
 * not valid: its last good version is in force, and instances that have it must not be left behind.
 */
export function followedBy({ metadata, spec }: MeshObject): string | undefined {
  const { name, namespace = metadata.namespace } = (spec as StoredPeer | undefined)?.identityFrom?.relayRef ?? {}
  return typeof name === 'string' && typeof namespace === 'string' ? keyOf({ name, namespace }) : undefined
}

/** As far as it is read here; nothing of it was validated. */
interface StoredPeer {
  readonly identityFrom?: {
    readonly relayRef?: { readonly name?: unknown; readonly namespace?: unknown } | null
  } | null
}

/** Connected instances of relays in the mesh that know this one by `identityFrom` and do not take `handle` for it yet. */
function peersBehind({ world }: Pick<Tools, 'world'>, relay: MeshRelay, handle: string): string[] {
  const wanted = keyOf(relay.metadata)
  const behind: string[] = []
  for (const object of world.objects('MeshPeer')) {
    if (followedBy(object) !== wanted) continue
    const { namespace } = object.metadata
    for (const instance of object.status?.relays ?? [])
      if (!(instance.handles ?? []).includes(handle)) behind.push(nameOf(instance, namespace))
  }
  return [...new Set(behind)].sort()
}

function instancesBehind(
  instances: readonly InstanceStatus[],
  namespace: string,
  peerHandle: string | undefined,
): string[] {
  return instances.filter((one) => one.peerHandle !== peerHandle).map((one) => nameOf(one, namespace))
}

function nameOf({ namespace, instance }: InstanceStatus, own: string): string {
  return `${namespace ?? own}/${instance}`
}
