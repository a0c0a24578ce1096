import type { MeshBackend, Reference } from '@causeway/mesh-api'
import type { RelayIdentityStatus } from '../sources/source.ts'

/** What the objects say that an object refers to, by `namespace/name`. */
export interface Lookup {
  /** Undefined: the relay has none, or is not there. */
  relayIdentity(relay: string): RelayIdentityStatus | undefined
  backend(name: string): MeshBackend | undefined
}

/** `namespace/name` of what an object of a namespace refers to. */
export function referred(namespace: string, { namespace: other, name }: Reference): string {
  return `${other ?? namespace}/${name}`
}
