import { manifest } from './manifest.ts'

const known = new Set(manifest().map((entry) => entry.id))

/**
 * Cites what a test proves. Put it at the head of the test's title, so that report and mutants find it:
 * ``it(`${requirement('WIRE-012')} an altered header octet fails to open`, ...)``. Throws on an id that no manifest has.
 */
export function requirement(...ids: readonly [string, ...string[]]): string {
  for (const id of ids) if (!known.has(id)) throw new Error(`unknown requirement id ${id}`)
  return ids.map((id) => `[${id}]`).join(' ')
}
