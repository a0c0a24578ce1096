import type { PublicKey } from '@causeway/npamp'

/** A statement that was verified when it came, with the key that it was verified by. */
export interface KeptSuccessor {
  readonly current: PublicKey
  readonly statement: Uint8Array
  /** Seconds since 1970. */
  readonly receivedS: number
}

/** What outlives the process: a peer that has changed its key is still known after a restart. */
export interface SuccessorStore {
  /** By `namespace/name` of the peer; oldest first. The map is the caller's. */
  load(): Map<string, KeptSuccessor[]>
  /** Returns at once; that it could not be written is the store's to tell. */
  save(kept: ReadonlyMap<string, readonly KeptSuccessor[]>): void
}
