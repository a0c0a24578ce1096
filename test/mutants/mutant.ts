/** One deliberate fault in one line of the core, and the requirement that it breaks. */
export interface Mutant {
  /** Says what is broken, unique. */
  readonly name: string
  /** Path from the checkout. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** A test that cites this id must fail. */
  readonly requirement: string
}

/** A mutant of the core; `file` is a path inside `services/npamp`. */
export function inCore(name: string, file: string, requirement: string, find: string, replace: string): Mutant {
  return { name, file: `services/npamp/${file}`, requirement, find, replace }
}
