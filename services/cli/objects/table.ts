import { oneLine } from './one-line.ts'

/** Rows as columns of equal width, two blanks between; nothing behind the last. */
export function tableOf(cells: readonly (readonly string[])[], indent = ''): string {
  const rows = cells.map((row) => row.map(oneLine))
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows
    .map((row) => `${indent}${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}
