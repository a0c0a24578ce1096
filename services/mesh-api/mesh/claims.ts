import { compareNames } from '../check/object-id.ts'

/**
 * Who claims what, and the first of them by name, which has it. A claim that thousands make costs each of them as much
 * as one that nobody else makes.
 */
export class Claims {
  readonly #claimants = new Map<string, Set<string>>()
  /** Of claims whose first is known. */
  readonly #owners = new Map<string, string>()

  add(claim: string, name: string): void {
    const names = this.#claimants.get(claim)
    if (names === undefined) {
      this.#claimants.set(claim, new Set([name]))
      this.#owners.set(claim, name)
      return
    }
    names.add(name)
    const owner = this.#owners.get(claim)
    if (owner !== undefined && compareNames(name, owner) < 0) this.#owners.set(claim, name)
  }

  delete(claim: string, name: string): void {
    const names = this.#claimants.get(claim)
    names?.delete(name)
    if (names?.size === 0) this.#claimants.delete(claim)
    if (this.#owners.get(claim) === name) this.#owners.delete(claim)
  }

  claimantsOf(claim: string): Iterable<string> {
    return this.#claimants.get(claim) ?? []
  }

  ownerOf(claim: string): string | undefined {
    const known = this.#owners.get(claim)
    if (known !== undefined) return known
    let first: string | undefined
    for (const name of this.claimantsOf(claim)) {
      if (first === undefined || compareNames(name, first) < 0) first = name
    }
    if (first !== undefined) this.#owners.set(claim, first)
    return first
  }
}
