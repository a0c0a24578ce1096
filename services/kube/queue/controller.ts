import { isKubeError } from '../rest/kube-error.ts'
import type { WorkQueue } from './work-queue.ts'

export interface ControllerOptions {
  readonly queue: WorkQueue
  /** How many keys are worked on at a time. */
  readonly workers: number
  /**
   * Brings what the key names to where it should be. Resolves with when to look again, if at all before something
   * changes. A rejection is told to `failed` and the key is tried again with growing waits.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult | undefined>
  readonly failed: (key: string, error: unknown, failures: number) => void
}

export interface ReconcileResult {
  readonly againAfterMs: number
}

export interface Controller {
  /** Aborts the signal of the work under way, waits for its end and closes the queue. */
  stop(): Promise<void>
}

/** Workers on a queue, until `stop`. */
export function startController(options: ControllerOptions): Controller {
  const { queue, workers } = options
  const stopping = new AbortController()
  const running = Array.from({ length: workers }, () => work(options, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      queue.close()
      await Promise.all(running)
    },
  }
}

async function work(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { queue, reconcile, failed } = options
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    try {
      const result = await reconcile(key, signal)
      queue.forget(key)
      if (result !== undefined) queue.addAfter(key, result.againAfterMs)
    } catch (error) {
      if (!signal.aborted) {
        failed(key, error, queue.failuresOf(key) + 1)
        queue.retry(key, isKubeError(error) ? error.retryAfterMs : undefined)
      }
    } finally {
      queue.done(key)
    }
  }
}
