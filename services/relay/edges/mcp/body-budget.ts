/**
 * Octets of request bodies that one edge holds, of all its connections: each alone is within its limit, but there may be
 * thousands. A body is held from its first octets until its call has ended.
 */
export class BodyBudget {
  readonly limitOctets: number
  #heldOctets = 0

  constructor(limitOctets: number) {
    this.limitOctets = limitOctets
  }

  get heldOctets(): number {
    return this.#heldOctets
  }

  /** False: there is no room for so much, and nothing was taken. */
  take(octets: number): boolean {
    if (this.#heldOctets + octets > this.limitOctets) return false
    this.#heldOctets += octets
    return true
  }

  /** For what is there already and cannot be refused. */
  hold(octets: number): void {
    this.#heldOctets += octets
  }

  release(octets: number): void {
    this.#heldOctets -= octets
  }
}
