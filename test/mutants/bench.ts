/**
 * One test runner, kept for many runs in a workbench's folder (argument 1). A process of its own, started by
 * `workbench.ts`, because a fault may make a test loop for ever. Orders and answers are messages.
 */
import { join } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'

export interface Order {
  /** Test file, path from the folder. */
  readonly file: string
  /** Files of the folder that were changed since the last order. */
  readonly changed: readonly string[]
  /** Only tests whose title cites one of these. */
  readonly ids: readonly string[]
}

/** Of one test file; it stops at the first failure. */
export interface Answer {
  readonly passed: number
  /** Full titles. */
  readonly failed: readonly string[]
  /** Why the file did not even load; it ran no test then. */
  readonly unloaded: string | undefined
}

const folder = process.argv[2] ?? '.'
const vitest = await createVitest({
  root: folder,
  watch: false,
  silent: true,
  bail: 1,
  // Threads die with this process, even one that loops.
  pool: 'threads',
  fileParallelism: false,
  reporters: [{}],
})
await vitest.standalone()

process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  void run(order).then((answer) => process.send?.(answer))
})

async function run({ file, changed, ids }: Order): Promise<Answer> {
  for (const path of changed) vitest.invalidateFile(join(folder, path))
  vitest.setGlobalTestNamePattern(new RegExp(`\\[(?:${ids.join('|')})\\]`))
  const path = join(folder, file)
  const { testModules } = await vitest.runTestFiles([path])
  // It reports earlier runs as well.
  const module = testModules.find((one) => one.moduleId === path)
  return module === undefined ? { passed: 0, failed: [], unloaded: 'no such test file' } : answerOf(module)
}

function answerOf(module: TestModule): Answer {
  const tests = [...module.children.allTests()]
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: tests.filter((test) => test.result().state === 'failed').map((test) => test.fullName),
    unloaded: module.errors()[0]?.message.split('\n', 1)[0],
  }
}
