import type { Clock } from '@causeway/npamp/transports'

/** Resolves when `work` has, or after `limitMs`; the work then goes on without anybody who waits for it. */
export async function atMost(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: unknown
  const limit = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, Math.max(0, limitMs))
  })
  await Promise.race([work, limit])
  clock.clearTimeout(timer)
}
