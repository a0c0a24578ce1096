/**
 * `npm test`: everything that has to hold. Static checks, every test (unit, conformance, simulation, integration,
 * requirement coverage), then the mutants. Ends with a line `N passed, N failed`; a skipped test counts as failed,
 * because nothing may be skipped without being seen.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printSummary, runStep, STATIC_STEPS, type Step, type StepResult } from './step.ts'

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly numFailedTestSuites: number
}

const work = mkdtempSync(join(tmpdir(), 'causeway-test-'))
const results: StepResult[] = []
let passed = 0
let failed = 0

async function step(one: Step): Promise<StepResult> {
  const result = await runStep(one)
  results.push(result)
  return result
}

for (const one of STATIC_STEPS) {
  if ((await step(one)).ok) passed += 1
  else failed += 1
}

const reportFile = join(work, 'vitest.json')
const tests = await step({
  name: 'tests',
  command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
})
const report = readReport(reportFile)
if (report === undefined) {
  failed += 1
} else {
  const skipped = report.numPendingTests + report.numTodoTests
  if (skipped > 0) console.error(`${skipped} tests were skipped: that counts as failed`)
  passed += report.numPassedTests
  failed += report.numFailedTests + skipped
  // A file that does not even load fails without any test of its own.
  if (!tests.ok && report.numFailedTests === 0) failed += Math.max(1, report.numFailedTestSuites)
}

if ((await step({ name: 'mutants', command: ['node', 'test/mutants/run.ts'] })).ok) passed += 1
else failed += 1

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
