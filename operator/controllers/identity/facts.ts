import type { IdentitySlot } from '@causeway/mesh-api'

/** `status.identity` of a MeshRelay, as the operator writes it. */
export interface IdentityStatus {
  readonly state: 'Active' | 'Announced' | 'Switched' | 'Retired'
  /** RFC 3339. */
  readonly since: string
  readonly peerHandle: string
  readonly secretName: string
  readonly next?: string
  readonly nextSecretName?: string
  /** Base64. */
  readonly successor?: string
  readonly previous?: string
  readonly previousSecretName?: string
}

/** What the Secret of a slot holds. */
export type SlotFacts = { readonly kind: 'absent' } | SlotDamage | SlotKey

interface SlotDamage {
  readonly kind: 'damaged'
  readonly why: string
  readonly ownerUid?: string | undefined
}

export interface SlotKey {
  readonly kind: 'key'
  readonly peerHandle: string
  readonly algorithm: string
  /** The how-manieth key of this identity it is; 0 for one that was not made by an operator. */
  readonly sequence: number
  /** Of the MeshRelay that the Secret goes with; undefined: with none. */
  readonly ownerUid: string | undefined
}

export interface IdentityFacts {
  /** Of the MeshRelay. */
  readonly uid: string
  readonly status: IdentityStatus | undefined
  readonly slots: Readonly<Record<IdentitySlot, SlotFacts>>
  readonly secretNames: Readonly<Record<IdentitySlot, string>>
  readonly algorithm: string
  /** Undefined: no rotation by itself. */
  readonly everyMs: number | undefined
  readonly overlapMs: number
  readonly deletionPolicy: 'Retain' | 'Delete'
  /** Somebody asked for a rotation. */
  readonly isRotationWanted: boolean
  /** Until when the announced statement holds; undefined: there is none that verifies. */
  readonly statementNotAfterMs: number | undefined
  /** Instances of in-mesh peers that do not accept the next handle yet. */
  readonly peersBehind: readonly string[]
  /** Instances of this relay that do not sign with the key of `status.peerHandle` yet. */
  readonly instancesBehind: readonly string[]
  /** How long a switched key is given, at least, before the old one goes. */
  readonly settleMs: number
  readonly nowMs: number
}
