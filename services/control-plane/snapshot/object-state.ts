import type { AnyResource, Finding } from '@causeway/mesh-api'
import type { Withheld } from '../resolve/withheld.ts'
import type { InvalidField } from '../sources/source.ts'
import type { EncodedResource } from './resource.ts'

/** Where an object stands on its way to relays. */
export interface ObjectState {
  readonly uid: string
  /** Of the object as it is stored now, valid or not. */
  readonly generation: number
  readonly standing: Standing
  /** What relays are sent: the version at hand, or the last good one. */
  readonly placed: Placement | undefined
  readonly kept: Kept
}

/**
 * Relays (`namespace/name`) whose instances keep whatever they have of an object of which nothing is known that could be
 * sent. Where nothing at all can be read of it, every one; where others forbid it, none.
 */
export type Kept = 'everywhere' | readonly string[]

export type Standing =
  /** What is placed is made from this generation. */
  | { readonly state: 'delivered' }
  /** Relays keep what they have of it, until it can be sent. */
  | { readonly state: 'withheld'; readonly withheld: Withheld }
  /** Its schema or its rules do not admit it: the same. */
  | { readonly state: 'invalid'; readonly problems: readonly InvalidField[] }
  /** Others forbid it: relays have it no more, or the last good version where others do not forbid that. */
  | { readonly state: 'refused'; readonly findings: readonly Finding[] }
  /** Another installation has accepted it. */
  | { readonly state: 'foreign'; readonly controller: string }
  /** Relays are not sent objects of this kind. */
  | { readonly state: 'not delivered' }

export const STANDING_STATES: readonly Standing['state'][] = [
  'delivered',
  'withheld',
  'invalid',
  'refused',
  'foreign',
  'not delivered',
]

export interface Placement {
  readonly resource: EncodedResource
  /** The version of the object that it was made of. */
  readonly from: AnyResource
  /** `namespace/name` of the relays that it is for. */
  readonly relays: readonly string[]
  /** Of a peer: the PeerHandles that it pins. */
  readonly handles: readonly string[] | undefined
}

/** Whether an instance of this relay keeps whatever it has of the object. */
export function isKept({ kept }: ObjectState, relay: string): boolean {
  return kept === 'everywhere' || kept.includes(relay)
}
