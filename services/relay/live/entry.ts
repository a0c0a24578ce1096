import type { HeldResource, Refusal, ResourceId } from '../config-store/contract.ts'
import type { Table } from './table.ts'

/** One resource of the relay: as it was sent last, and as it is in force. */
export interface Entry {
  readonly id: ResourceId
  /** Undefined: it is to go. */
  sent: HeldResource | undefined
  force: Forced | undefined
  /** Why it is not in force as it was sent last. */
  refusal: Refusal | undefined
}

interface Forced {
  readonly version: string
  readonly table: Table
  /** False: a route that is there and serves nothing, because what it leads to has no good version. */
  readonly isAvailable: boolean
  /** Of the files that it was made from. */
  readonly contents: string
}

/** Whether it is in force as it was sent last. */
export function isCurrent({ sent, force }: Entry): boolean {
  return sent !== undefined && force?.isAvailable === true && force.version === sent.version
}
