import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  /** How long a machine that does much else may take; default 60 s. */
  readonly timeoutMs?: number
  readonly intervalMs?: number
}

/**
 * Asks again and again until `check` answers something other than undefined or false, and returns that. An error of
 * `check` counts as "not yet", and is told when time is up.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + (options.timeoutMs ?? 60_000)
  for (;;) {
    let last: unknown
    try {
      const answer = await check()
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`, { cause: last })
    await delay(options.intervalMs ?? 50)
  }
}
