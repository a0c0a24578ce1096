import { createHash } from 'node:crypto'
import { type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { RESOURCE_KINDS, type ResourceKindName, type ResourceMessage, type ResourceMessages } from './resource-kinds.ts'

/**
 * The body of a resource. Deterministic: fields go out in the order of their numbers, and there are no maps in the
 * messages of resources (CONTROL section 3).
 */
export function encodeBody<Kind extends ResourceKindName>(kind: Kind, message: ResourceMessages[Kind]): Uint8Array {
  return toBinary(RESOURCE_KINDS[kind].schema, message)
}

/** The version of a resource: SHA-256 of its body, 32 octets. */
export function versionOf(body: Uint8Array): Uint8Array {
  return createHash('sha256').update(body).digest()
}

/** Why a body is not the message of its kind. `unknownFields`: a newer control plane says more than is known here. */
export type BodyProblem = 'malformed' | 'unknownFields'

/**
 * What a body says. A field that is not known here might narrow what a resource allows, so a body that has one is not
 * taken: nothing opens because something was not understood.
 */
export function decodeBody(kind: ResourceKindName, body: Uint8Array): ResourceMessage | BodyProblem {
  const schema: DescMessage = RESOURCE_KINDS[kind].schema
  try {
    const message = fromBinary(schema, body)
    return hasUnknownFields(message) ? 'unknownFields' : ({ kind, message } as ResourceMessage)
  } catch {
    return 'malformed'
  }
}

function hasUnknownFields(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  if ('$unknown' in value && Array.isArray(value.$unknown) && value.$unknown.length > 0) return true
  return Object.values(value).some(hasUnknownFields)
}
