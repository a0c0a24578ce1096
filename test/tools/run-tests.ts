/**
 * `npm test`: everything that has to hold. Static checks, every test (unit, conformance, simulation, integration,
 * requirement coverage, and those against a real API server), then the mutants. `--e2e` adds the tests that need a node
 * with containers, and root. Ends with a line `N passed, N failed`; a skipped test counts as failed,
 * because nothing may be skipped without being seen.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from './options.ts'
import { printSummary, runStep, STATIC_STEPS, type Step, type StepResult } from './step.ts'

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly numFailedTestSuites: number
}

const { e2e } = readOptions({ e2e: { type: 'boolean', default: false } }, 'npm test [-- --e2e]')
/** Of the cluster that the tests start. */
const level = e2e ? 'node' : 'api'
const work = mkdtempSync(join(tmpdir(), 'causeway-test-'))
const results: StepResult[] = []
let passed = 0
let failed = 0

async function step(one: Step): Promise<StepResult> {
  const result = await runStep(one)
  results.push(result)
  return result
}

/** A step that is one test. */
async function counted(one: Step): Promise<void> {
  if ((await step(one)).ok) passed += 1
  else failed += 1
}

/** A run of the test runner, each of whose tests counts. */
async function tests(name: string, options: readonly string[]): Promise<void> {
  const reportFile = join(work, `${name.replaceAll(' ', '-')}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { ok } = await step({ name, command: ['vitest', 'run', ...options, ...reporters] })
  const report = readReport(reportFile)
  if (report === undefined) {
    failed += 1
    return
  }
  const skipped = report.numPendingTests + report.numTodoTests
  if (skipped > 0) console.error(`${skipped} tests were skipped: that counts as failed`)
  passed += report.numPassedTests
  failed += report.numFailedTests + skipped
  // A file that does not even load fails without any test of its own.
  if (!ok && report.numFailedTests === 0) failed += Math.max(1, report.numFailedTestSuites)
}

for (const one of STATIC_STEPS) await counted(one)

// Nothing to do but the first time, when it takes about ten minutes; no test should wait for a compiler.
await counted({ name: 'cluster programs', command: ['node', 'test/cluster/main.ts', 'build', '--level', level] })
await tests('tests', [])
if (e2e) await tests('end to end', ['--config', 'test/e2e/vitest.config.ts'])
await counted({ name: 'mutants', command: ['node', 'test/mutants/run.ts'] })

rmSync(work, { recursive: true, force: true })
printSummary(results)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    console.error('the test runner left no report')
    return undefined
  }
}
