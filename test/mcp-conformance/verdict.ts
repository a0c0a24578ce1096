import { changesSince, type PassingDirect, passingDirectOf } from './passing-direct.ts'
import { cellsOf, isKept, nameOf, type Row } from './row.ts'

/**
 * Everything that makes a run fail, a line each: what passed directly once and no longer does, what passes directly and is
 * not on the list yet, what passes directly and not through the mesh.
 */
export function faultsOf(rows: readonly Row[], committed: PassingDirect): string[] {
  const { lost, gained } = changesSince(committed, passingDirectOf(rows))
  return [
    ...lost.map((name) => `passed without a mesh once, and no longer: ${name}`),
    ...gained.map((name) => `passes without a mesh and is not on the list yet (--write-list): ${name}`),
    ...rows
      .flatMap(cellsOf)
      .flatMap((cell) => (isKept(cell) ? [] : [`lost in the mesh: ${nameOf(cell)}: ${why(cell.mesh)}`])),
  ]
}

function why(
  mesh: { readonly status: string; readonly successes: number; readonly reason?: string } | undefined,
): string {
  if (mesh === undefined) return 'never checked'
  return `${mesh.status}, ${mesh.successes} successes${mesh.reason === undefined ? '' : `: ${mesh.reason}`}`
}
