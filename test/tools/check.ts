/** `npm run check`: what every commit passes. Static checks, then the unit tests beside the code. */
import { printSummary, runStep, STATIC_STEPS, type StepResult } from './step.ts'

const results: StepResult[] = []
for (const step of [...STATIC_STEPS, { name: 'unit tests', command: ['vitest', 'run', 'services'] } as const]) {
  results.push(await runStep(step))
}
printSummary(results)
process.exitCode = results.every((result) => result.ok) ? 0 : 1
