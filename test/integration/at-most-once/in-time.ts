import { setTimeout as wait } from 'node:timers/promises'

/** Less than the 15 s after which liveness would find out what should have been known at once. */
const SOON_MS = 14_000

/** The promise's own end, or a rejection when that takes longer: nothing may hang. */
export async function inTime<Value>(promise: Promise<Value>, what: string, ms = SOON_MS): Promise<Value> {
  const impatience = new AbortController()
  const late = wait(ms, undefined, { signal: impatience.signal }).then(() => {
    throw new Error(`${what}: not over after ${ms} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    impatience.abort()
  }
}

/** Looks again and again until it holds; what another process will have done, it tells nobody. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, ms = SOON_MS): Promise<void> {
  const endsAt = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`${what}: not so within ${ms} ms`)
    await wait(10)
  }
}
