import type { Position } from '../sources/source.ts'

/** The kinds of which `ours` is older than `theirs`, of the same source (CONTROL section 3: another source is accepted). */
export function olderKinds(
  ours: ReadonlyMap<string, Position>,
  theirs: ReadonlyMap<string, Position>,
): readonly string[] {
  return [...theirs].flatMap(([kind, seen]) => {
    const position = ours.get(kind)
    return position !== undefined && isSameSource(position, seen) && position.value < seen.value ? [kind] : []
  })
}

/** How far objects have been read, of each kind. */
export class Positions {
  readonly #read = new Map<string, Position>()
  readonly #changed = new Map<string, Position>()

  /** Up to where each kind has been read, whether anything was different there or not. */
  get read(): ReadonlyMap<string, Position> {
    return this.#read
  }

  /**
   * Up to where each kind has been read when something of it was different last: from there on it is the same. An instance
   * that is told this, and no more, is not ahead of another replica that only has read less of what has not changed.
   */
  get changed(): ReadonlyMap<string, Position> {
    return this.#changed
  }

  /** `different`: the kinds of which a change has objects. */
  advance(positions: ReadonlyMap<string, Position>, different: ReadonlySet<string>): void {
    for (const [kind, position] of positions) {
      const last = this.#changed.get(kind)
      const wentBack = last !== undefined && (!isSameSource(last, position) || position.value < last.value)
      if (last === undefined || wentBack || different.has(kind)) this.#changed.set(kind, position)
      this.#read.set(kind, position)
    }
  }
}

/**
 * What a Delta says of positions: no more than was different, and never less than the instance has seen, where that has
 * been read here too.
 */
export function positionsFor(
  { read, changed }: Pick<Positions, 'read' | 'changed'>,
  seen: ReadonlyMap<string, Position>,
): ReadonlyMap<string, Position> {
  const told = new Map(changed)
  for (const [kind, position] of changed) {
    const [here, there] = [read.get(kind), seen.get(kind)]
    if (here === undefined || there === undefined || !isSameSource(here, there)) continue
    if (there.value > position.value && there.value <= here.value) told.set(kind, there)
  }
  return told
}

function isSameSource(one: Position, other: Position): boolean {
  return Buffer.compare(one.source, other.source) === 0
}
