import { afterAll, beforeAll, beforeEach } from 'vitest'
import { OperatorStand, type StandOptions } from './operator-stand.ts'

export { type OperatorStand, type StandOptions, SYSTEM } from './operator-stand.ts'

/** One stand for all tests of a file. */
export function useOperatorStand(options: StandOptions = {}): () => OperatorStand {
  let stand: OperatorStand | undefined
  beforeAll(async () => {
    stand = await OperatorStand.start(options)
  }, 20 * 60_000)
  beforeEach(({ onTestFailed }) => {
    stand?.forgetLogs()
    onTestFailed(() => console.error(stand?.logs))
  })
  afterAll(async () => {
    await stand?.stop()
  })
  return () => {
    if (stand === undefined) throw new Error('the stand starts before the first test')
    return stand
  }
}
