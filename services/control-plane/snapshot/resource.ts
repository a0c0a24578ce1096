import { encodeBody, type ResourceKindName, type ResourceMessage, versionOf } from '@causeway/rpc'
import type { Ir } from '../ir/ir.ts'
import { translate } from '../translate/translate.ts'
import { type ObjectKey, resourceKey } from './object-key.ts'

/** A resource as relays are sent it: encoded once, however many relays get it. */
export interface EncodedResource {
  readonly objectKey: ObjectKey
  readonly kind: ResourceKindName
  /** `namespace/name` of the object that it was made from. */
  readonly name: string
  /** Deterministic (CONTROL section 3). */
  readonly body: Uint8Array
  /** SHA-256 of the body, and the same in lower-case hexadecimal. */
  readonly version: Uint8Array
  readonly versionHex: string
}

export function encodeResource(name: string, ir: Ir): EncodedResource {
  const resource = translate(ir)
  const body = bodyOf(resource)
  const version = versionOf(body)
  const key = resourceKey(resource.kind, name)
  return { objectKey: key, kind: resource.kind, name, body, version, versionHex: hexOf(version) }
}

export function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex')
}

function bodyOf(resource: ResourceMessage): Uint8Array {
  switch (resource.kind) {
    case 'relay':
      return encodeBody('relay', resource.message)
    case 'peer':
      return encodeBody('peer', resource.message)
    case 'backend':
      return encodeBody('backend', resource.message)
    case 'route':
      return encodeBody('route', resource.message)
  }
}
