import type { Clock } from '../clock.ts'
import { KubeError } from './kube-error.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** The request in words, for the error. */
  readonly what: string
}

/**
 * Runs `work` with a signal that ends it at the deadline or when the caller's signal is aborted.
 * @throws {KubeError} `Timeout` at the deadline, `Aborted` when the caller's signal was aborted
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, what } = options
  const controller = new AbortController()
  const aborted = () => controller.abort(new KubeError('Aborted', `${what}: aborted`))
  if (signal?.aborted) aborted()
  signal?.addEventListener('abort', aborted)
  const timer = clock.setTimeout(
    () => controller.abort(new KubeError('Timeout', `${what}: no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    controller.signal.throwIfAborted()
    return await work(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clock.clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}
