import { setTimeout as wait } from 'node:timers/promises'

/** The promise's own end, or a rejection when that takes longer: nothing may hang. */
export async function inTime<Value>(promise: Promise<Value>, what: string, ms = 10_000): Promise<Value> {
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
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, ms = 10_000): Promise<void> {
  const endsAt = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`${what}: not so within ${ms} ms`)
    await wait(10)
  }
}
