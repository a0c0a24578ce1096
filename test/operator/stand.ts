import { afterAll, beforeAll } from 'vitest'
import { OperatorStand, type StandOptions } from './operator-stand.ts'

export { type OperatorStand, type StandOptions, SYSTEM } from './operator-stand.ts'

/** One stand for all tests of a file. */
export function useOperatorStand(options: StandOptions = {}): () => OperatorStand {
  let stand: OperatorStand | undefined
  beforeAll(async () => {
    stand = await OperatorStand.start(options)
  }, 20 * 60_000)
  afterAll(async () => {
    await stand?.stop()
  })
  return () => {
    if (stand === undefined) throw new Error('the stand starts before the first test')
    return stand
  }
}
