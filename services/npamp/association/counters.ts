import type { AssociationCounters } from './contract.ts'

/** What an association counts. The map of drops exists from the first drop on: most associations never drop anything. */
export class Counters implements AssociationCounters {
  framesSent = 0
  framesReceived = 0
  octetsSent = 0
  octetsReceived = 0
  keyUpdatesSent = 0
  keyUpdatesReceived = 0
  ratchetsReceived = 0
  #dropped: Map<string, number> | undefined

  get dropped(): ReadonlyMap<string, number> {
    return this.#dropped ?? NONE
  }

  /** Counts a frame that is ignored. */
  drop(reason: string): void {
    this.#dropped ??= new Map()
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1)
  }
}

const NONE: ReadonlyMap<string, number> = new Map()
