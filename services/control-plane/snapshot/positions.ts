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

function isSameSource(one: Position, other: Position): boolean {
  return Buffer.compare(one.source, other.source) === 0
}
