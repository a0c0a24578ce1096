import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { ROOT, withLocalBin } from '../tools/step.ts'

const require = createRequire(import.meta.url)
const PACKAGE = dirname(require.resolve('@modelcontextprotocol/conformance/package.json'))

export type Revision = '2025-11-25' | '2026-07-28'

/** Which side of the protocol is under test. */
export type Leg = 'server' | 'client'

/** One observation of the suite's. Ids repeat within a scenario. */
export interface Check {
  readonly id: string
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
  readonly details?: unknown
}

/** What a scenario observed, by its name. */
export type Checks = ReadonlyMap<string, readonly Check[]>

export function suiteVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version
}

/** Every scenario that a revision names for a leg: those that it requires and those that only run to be seen. */
export function scenariosOf(revision: Revision, leg: Leg): string[] {
  const set = parse(readFileSync(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8')) as {
    server: string[]
    client: string[]
    not_scored: { scenario: string; leg: Leg }[]
  }
  return [...set[leg], ...set.not_scored.filter((one) => one.leg === leg).map(({ scenario }) => scenario)]
}

/** Every scenario of a revision against the server at `url`. */
export async function checkServer(url: string, revision: Revision): Promise<Checks> {
  return inFolder(async (folder) => {
    const { output } = await runSuite(folder, ['server', '--url', url, '--requirements', revision])
    const files = globSync('server-*/checks.json', { cwd: folder })
    if (files.length === 0) throw new Error(`the suite left no checks: ${output}`)
    return new Map(files.map((file) => [scenarioIn(dirname(file)), checksIn(join(folder, file))]))
  })
}

/** A folder of results is named after the scenario and the time. */
function scenarioIn(name: string): string {
  return /^server-(.+)-\d{4}-\d\d-\d\dT[-\d]+Z$/.exec(name)?.[1] ?? name
}

/**
 * One scenario for the client that `command` starts. The last check, `client-ended-well`, is about its exit code, which the
 * suite counts but has no id for.
 */
export async function checkClient(command: string, revision: Revision, scenario: string): Promise<readonly Check[]> {
  return inFolder(async (folder) => {
    const which = ['--scenario', scenario, '--spec-version', revision, '--force']
    const { output } = await runSuite(folder, ['client', '--command', command, ...which])
    const [file] = globSync('**/checks.json', { cwd: folder })
    if (file === undefined) throw new Error(`the suite left no checks: ${output}`)
    const ended = /Client exited with code|Client timed out/.test(output)
    const endedWell = {
      id: 'client-ended-well',
      name: 'ClientEndedWell',
      ...(ended ? { status: 'FAILURE' as const, errorMessage: output } : { status: 'SUCCESS' as const }),
    }
    return [...checksIn(join(folder, file)), endedWell]
  })
}

function checksIn(file: string): Check[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Check[]
}

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-mcp-conformance-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A scenario that hangs is ended by the suite itself, after 30 s. */
async function runSuite(folder: string, args: readonly string[]): Promise<{ output: string }> {
  const program = [join(PACKAGE, 'dist/index.js'), ...args, '--output-dir', folder]
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: { ...withLocalBin(process.env), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => said.push(piece))
  await once(child, 'close')
  return { output: Buffer.concat(said).toString() }
}
