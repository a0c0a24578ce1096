import { create } from '@bufbuild/protobuf'
import { type InstanceId, InstanceIdSchema, type InstanceReport, InstanceReportSchema } from '@causeway/rpc'
import { type ObjectKey, objectIdOf, objectKey } from '../../snapshot/object-key.ts'
import { hexOf } from '../../snapshot/resource.ts'
import type { Acceptance, InstanceChange, InstanceName } from '../instance.ts'

/** What replicas say to the leader, and back: the same in messages. */
export function reportOf(instance: InstanceName, { acceptances, status }: InstanceChange): InstanceReport {
  const report = create(InstanceReportSchema, { id: idOf(instance), ...(status === undefined ? {} : { status }) })
  for (const [key, acceptance] of acceptances) {
    const object = { $typeName: 'causeway.status.v1.ObjectName', ...objectIdOf(key) } as const
    if (acceptance === undefined) {
      report.removed.push(object)
      continue
    }
    const version = Uint8Array.from(Buffer.from(acceptance.versionHex, 'hex'))
    const { refusal } = acceptance
    if (refusal === undefined)
      report.accepted.push({ $typeName: 'causeway.status.v1.AcceptedVersion', object, version })
    else report.refused.push({ $typeName: 'causeway.status.v1.RefusedVersion', object, version, ...refusal })
  }
  return report
}

export function idOf({ namespace, relay, ordinal, bootId, relayUid }: InstanceName): InstanceId {
  return create(InstanceIdSchema, { namespace, relay, ordinal, bootId, relayUid })
}

export function instanceOf({ namespace, relay, ordinal, bootId, relayUid }: InstanceId): InstanceName {
  return { namespace, relay, ordinal, bootId, relayUid }
}

export function changeOf({ accepted, refused, removed, status }: InstanceReport): InstanceChange {
  const acceptances = new Map<ObjectKey, Acceptance | undefined>()
  for (const { object, version } of accepted) {
    if (object !== undefined) acceptances.set(keyOf(object), { versionHex: hexOf(version), refusal: undefined })
  }
  for (const { object, version, reason, fieldPath, message } of refused) {
    if (object === undefined) continue
    acceptances.set(keyOf(object), { versionHex: hexOf(version), refusal: { reason, fieldPath, message } })
  }
  for (const object of removed) acceptances.set(keyOf(object), undefined)
  return { acceptances, status }
}

function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): ObjectKey {
  return objectKey(kind, name)
}
