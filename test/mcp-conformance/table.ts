import type { Outcome } from './outcome.ts'
import { type Cell, cellsOf, isKept, type Row } from './row.ts'
import type { Leg } from './suite.ts'

const HEADINGS: Readonly<Record<Leg, string>> = {
  server: 'The suite as client, the fixture server behind the mesh',
  client: 'The suite as server behind the mesh, the published client before it',
}

/** Both columns for a terminal: one line a check id. */
export function textOf(rows: readonly Row[]): string {
  const lines = rows.flatMap(cellsOf).map((cell) => {
    const { leg, revision, scenario } = cell.row
    const place = `${leg} ${revision} ${scenario}`.padEnd(64)
    const mark = isKept(cell) ? '' : '  <-- lost in the mesh'
    return `${place} ${cell.id.padEnd(58)} ${shown(cell.direct).padEnd(9)} ${shown(cell.mesh)}${mark}`
  })
  return lines.join('\n')
}

/** The same as Markdown: one table for each leg and revision. */
export function markdownOf(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ leg, revision }) => `### ${HEADINGS[leg]}, ${revision}`)
  return [...groups].map(([heading, group]) => `${heading}\n\n${tableOf(group.flatMap(cellsOf))}`).join('\n\n')
}

function tableOf(cells: readonly Cell[]): string {
  const lines = cells.map(
    (cell) => `| ${cell.row.scenario} | \`${cell.id}\` | ${shown(cell.direct)} | ${shown(cell.mesh)} |`,
  )
  return ['| Scenario | Check | Direct | Through two relays |', '|---|---|---|---|', ...lines].join('\n')
}

const WORDS: Readonly<Record<Outcome['status'], string>> = {
  SUCCESS: 'pass',
  FAILURE: 'fail',
  WARNING: 'warning',
  SKIPPED: 'skipped',
  INFO: 'told',
}

function shown(outcome: Outcome | undefined): string {
  return outcome === undefined ? '-' : WORDS[outcome.status]
}
