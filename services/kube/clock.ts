/** Time as the parts of this package see it; a test passes one that moves only when told. */
export interface Clock {
  /** Milliseconds of a monotonic clock: the only one that deadlines are measured with. */
  now(): number
  /** Milliseconds since 1970, for time stamps that people read; never for a deadline. */
  wallNow(): number
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

/** The process's clocks. A timer keeps the process alive until it fires or is cleared. */
export function systemClock(): Clock {
  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  }
}

/** Resolves after `ms`, or at once when `signal` is aborted: the caller looks at the signal. */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const finish = () => {
      clock.clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = clock.setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
}
