import type { IdentityStatus } from '../controllers/identity/facts.ts'
import type { Condition } from './condition.ts'

/** The status of any kind, as far as the operator reads or writes it. */
export interface MeshStatus {
  readonly conditions?: readonly Condition[]
  /** The installation that has accepted the object. */
  readonly controller?: string
  /** MeshRelay. */
  readonly identity?: IdentityStatus
  /** MeshBackend, MeshPeer: what is projected for them. */
  readonly credentials?: readonly CredentialStatus[]
  readonly relays?: readonly InstanceStatus[]
}

export interface CredentialStatus {
  /** Its name in the folder `credentials` of a relay. */
  readonly file: string
  /** Lower-case hexadecimal, of the projected octets. */
  readonly sha256: string
}

/** What the control plane tells of one instance. */
export interface InstanceStatus {
  readonly namespace?: string
  readonly relay: string
  readonly instance: string
  /** MeshRelay: of the trust bundle that it has read. */
  readonly bundleSHA256?: string
  /** MeshRelay: of the key that it signs with. */
  readonly peerHandle?: string
  /** MeshPeer: the identities that it takes for this peer. */
  readonly handles?: readonly string[]
}
