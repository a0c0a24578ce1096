import type { Clock } from './driver.ts'

/** The process's monotonic clock. Its timers keep the process alive only while something else does. */
export function systemClock(): Clock {
  return {
    now: () => performance.now(),
    setTimeout: (callback, ms) => setTimeout(callback, ms).unref(),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  }
}
