import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { manifest, type Requirement } from './manifest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TEST_FOLDERS = ['services', 'operator', 'test']

/** `test/requirements/finished.yaml`. */
interface Finished {
  /** Areas in which every MUST is cited by a test or stands under `later`. */
  readonly areas: readonly string[]
  /** Requirement id -> why no test proves it yet. */
  readonly later: Readonly<Record<string, string>>
}

interface AreaCoverage {
  readonly area: string
  readonly finished: boolean
  readonly total: number
  readonly must: number
  readonly cited: number
  /** Uncited ids left for later, with their reason. */
  readonly later: readonly string[]
  readonly uncitedMust: readonly string[]
  readonly uncitedOther: readonly string[]
}

export interface Coverage {
  readonly areas: readonly AreaCoverage[]
  /** What makes the suite fail, one sentence each. */
  readonly faults: readonly string[]
}

/** Which test files cite which requirement: id -> paths relative to the checkout. */
export function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>()
  for (const file of TEST_FOLDERS.flatMap((folder) => testFiles(join(ROOT, folder)))) {
    for (const id of citedIn(readFileSync(file, 'utf8'))) {
      const files = cited.get(id) ?? []
      files.push(relative(ROOT, file))
      cited.set(id, files)
    }
  }
  return cited
}

/** The ids inside every `requirement(...)` call of a source text; calls are literal by convention. */
export function citedIn(source: string): Set<string> {
  const ids = new Set<string>()
  for (const call of source.matchAll(/\brequirement\(([^)]*)\)/g)) {
    for (const literal of (call[1] ?? '').matchAll(/'([^']+)'/g)) if (literal[1] !== undefined) ids.add(literal[1])
  }
  return ids
}

export function coverage(
  requirements: readonly Requirement[] = manifest(),
  cited: ReadonlyMap<string, readonly string[]> = citations(),
  finished: Finished = readFinished(),
): Coverage {
  const known = new Map(requirements.map((entry) => [entry.id, entry]))
  const faults: string[] = []
  for (const [id, files] of cited)
    if (!known.has(id)) faults.push(`${id} is cited in ${files.join(', ')} but no manifest has it`)
  for (const id of Object.keys(finished.later)) {
    if (!known.has(id)) faults.push(`${id} stands in finished.yaml but no manifest has it`)
    else if (cited.has(id)) faults.push(`${id} is left for later in finished.yaml although a test cites it`)
  }
  const names = [...new Set(requirements.map((entry) => entry.area))]
  for (const area of finished.areas)
    if (!names.includes(area)) faults.push(`finished.yaml names an unknown area ${area}`)

  const areas = names.map((area): AreaCoverage => {
    const mine = requirements.filter((entry) => entry.area === area)
    const open = mine.filter((entry) => !cited.has(entry.id))
    const later = open.filter((entry) => finished.later[entry.id] !== undefined).map((entry) => entry.id)
    const uncited = open.filter((entry) => finished.later[entry.id] === undefined)
    return {
      area,
      finished: finished.areas.includes(area),
      total: mine.length,
      must: mine.filter((entry) => entry.level === 'MUST').length,
      cited: mine.length - open.length,
      later,
      uncitedMust: uncited.filter((entry) => entry.level === 'MUST').map((entry) => entry.id),
      uncitedOther: uncited.filter((entry) => entry.level !== 'MUST').map((entry) => entry.id),
    }
  })
  for (const area of areas.filter((one) => one.finished)) {
    for (const id of area.uncitedMust) faults.push(`${id} (MUST, finished area ${area.area}) is cited by no test`)
  }
  return { areas, faults }
}

function readFinished(): Finished {
  return parse(readFileSync(new URL('finished.yaml', import.meta.url), 'utf8')) as Finished
}

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path)
    return entry.name.endsWith('.test.ts') ? [path] : []
  })
}
