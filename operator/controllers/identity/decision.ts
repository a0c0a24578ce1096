import type { IdentitySlot } from '@causeway/mesh-api'

/** The next step of CONTROL section 5: Active -> Announced -> Switched -> Retired. One write each. */
export type IdentityDecision =
  /** The first key, or the next one; the name of its Secret makes it the only one. */
  | { readonly kind: 'createKey'; readonly slot: IdentitySlot; readonly sequence: number }
  /** What a former relay of this name takes along has to go first. */
  | { readonly kind: 'letGo'; readonly againAfterMs: number }
  /** A key that is there becomes the identity. */
  | { readonly kind: 'adopt'; readonly slot: IdentitySlot }
  /** The key of `slot` is announced, or announced again because its statement ends. */
  | { readonly kind: 'announce'; readonly slot: IdentitySlot; readonly isRenewal: boolean }
  /** The announced key is gone: back to one key. */
  | { readonly kind: 'abandonNext' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'retire' }
  /** A retired key. */
  | { readonly kind: 'deleteKey'; readonly slot: IdentitySlot }
  | { readonly kind: 'setOwner'; readonly slot: IdentitySlot; readonly isOwned: boolean }
  /** The request for a rotation has been met. */
  | { readonly kind: 'clearRequest' }
  /** The present state began in the future, by a clock that was set back since: what it lasts is counted from now. */
  | { readonly kind: 'recount' }
  /** Nobody but a person can go on from here. */
  | { readonly kind: 'stuck'; readonly reason: 'IdentityLost' | 'IdentityDamaged'; readonly message: string }
  | { readonly kind: 'steady'; readonly againAfterMs?: number; readonly waitsFor?: string }
