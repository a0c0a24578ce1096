import type { View } from './view.ts'

/** A difference that is meant, and why. */
export interface Allowed {
  readonly difference: RegExp
  readonly because: string
}

export interface Comparison {
  /** Differences that nobody allowed. */
  readonly unexpected: readonly string[]
  /** Entries of the list that allow nothing that happens: they would hide what comes to fit them. */
  readonly unused: readonly string[]
}

/** Compares what was said directly with what was said through the mesh, exchange by exchange. */
export function compare(direct: readonly View[], mesh: readonly View[], allowed: readonly Allowed[]): Comparison {
  const used = new Set<Allowed>()
  const unexpected = differencesOf(direct, mesh).filter((difference) => {
    const matching = allowed.filter((entry) => entry.difference.test(difference))
    for (const entry of matching) used.add(entry)
    return matching.length === 0
  })
  const unused = allowed.filter((entry) => !used.has(entry)).map(({ difference }) => String(difference))
  return { unexpected, unused }
}

/** Each a line such as `POST initialize #1: response header vary: "Origin" became absent`. */
function differencesOf(direct: readonly View[], mesh: readonly View[]): string[] {
  const meshByName = new Map(mesh.map((view) => [view.about, view.facts]))
  const directNames = new Set(direct.map(({ about }) => about))
  const added = mesh
    .filter(({ about }) => !directNames.has(about))
    .map(({ about }) => `${about}: only through the mesh`)
  const changed = direct.flatMap(({ about, facts }) => {
    const through = meshByName.get(about)
    if (through === undefined) return [`${about}: only directly`]
    return [...new Set([...facts.keys(), ...through.keys()])]
      .filter((name) => facts.get(name) !== through.get(name))
      .map((name) => `${about}: ${name}: ${shown(facts.get(name))} became ${shown(through.get(name))}`)
  })
  return [...added, ...changed]
}

function shown(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
