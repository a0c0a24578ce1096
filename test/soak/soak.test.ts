import { describe, expect, it } from 'vitest'
import { faultsOf } from './judge.ts'
import { soak } from './soak.ts'

/** A minute is too short for 1 % in 10 minutes to be told from noise; 1 KiB a session is twice this. */
const BAR = { percentPerTenMinutes: 15 }
const RUN = { perSecond: 200, warmUpSeconds: 15, everySeconds: 3 }

describe('mixed traffic at 200 calls a second, sessions opening and closing', () => {
  it('leaves nothing behind in a minute', { timeout: 180_000 }, async () => {
    const result = await soak({ ...RUN, seconds: 60 })
    expect(faultsOf(result, BAR)).toEqual([])
    expect(result.calls).toBeGreaterThan(60 * 200 * 0.9)
  })

  it('a leak of 1 KiB a session is noticed', { timeout: 180_000 }, async () => {
    const result = await soak({ ...RUN, seconds: 45, plantLeak: true })
    expect(faultsOf(result, BAR).join('\n')).toContain('relay edge may grow')
  })
})
