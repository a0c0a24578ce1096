/** `npm run conformance`: every published vector through the adapter process. Exit code 1 unless all pass. */
import { startAdapter } from './adapter-process.ts'
import { corpus, mismatch } from './corpus.ts'

const adapter = startAdapter()
let passed = 0
let failed = 0
for (const group of corpus()) {
  let groupPassed = 0
  for (const vector of group.tests) {
    const why = mismatch(vector, await adapter.ask(group.op, vector.in))
    if (why === undefined) groupPassed += 1
    else {
      failed += 1
      console.log(`failed ${group.op} #${vector.tcId} [${vector.requirement}] ${vector.comment}: ${why}`)
    }
  }
  passed += groupPassed
  console.log(`${group.op.padEnd(26)} ${groupPassed} of ${group.tests.length}`)
}
adapter.close()
console.log(`${passed} of ${passed + failed} vectors pass`)
process.exitCode = failed === 0 ? 0 : 1
