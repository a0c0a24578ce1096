import { readFileSync, writeFileSync } from 'node:fs'
import { passes } from './outcome.ts'
import { cellsOf, type Row } from './row.ts'

/** `LEG REVISION` -> scenario -> the check ids that pass without a mesh. Committed: it only grows. */
export type PassingDirect = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

const FILE = new URL('passing-direct.json', import.meta.url)

export function readPassingDirect(): PassingDirect {
  return JSON.parse(readFileSync(FILE, 'utf8')) as PassingDirect
}

export function writePassingDirect(passing: PassingDirect): void {
  writeFileSync(FILE, `${JSON.stringify(passing, undefined, 2)}\n`)
}

export function passingDirectOf(rows: readonly Row[]): PassingDirect {
  const groups = Map.groupBy(rows, ({ leg, revision }) => `${leg} ${revision}`)
  return Object.fromEntries([...groups].map(([name, group]) => [name, Object.fromEntries(group.map(passingIn))]))
}

function passingIn(row: Row): [scenario: string, ids: string[]] {
  const ids = cellsOf(row).flatMap(({ id, direct }) => (passes(direct) ? [id] : []))
  return [row.scenario, ids.toSorted()]
}

/** What is in one and not in the other, each as `LEG REVISION SCENARIO ID`. */
export function changesSince(committed: PassingDirect, now: PassingDirect): { lost: string[]; gained: string[] } {
  const before = new Set(namesIn(committed))
  const after = new Set(namesIn(now))
  return {
    lost: [...before].filter((name) => !after.has(name)),
    gained: [...after].filter((name) => !before.has(name)),
  }
}

function namesIn(passing: PassingDirect): string[] {
  return Object.entries(passing).flatMap(([group, scenarios]) =>
    Object.entries(scenarios).flatMap(([scenario, ids]) => ids.map((id) => `${group} ${scenario} ${id}`)),
  )
}
