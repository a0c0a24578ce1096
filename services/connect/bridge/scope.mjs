/** What is under way and ends with the whole, or before it by its own hand or limit. */
export class Scope {
  /** @type {Set<AbortController>} */
  #running = new Set()
  #ended = false

  /**
   * @param {number} [limitMs] aborts by itself after so long
   * @returns {Task}
   */
  begin(limitMs) {
    const controller = new AbortController()
    if (this.#ended) controller.abort(new EndedError('the program ends'))
    this.#running.add(controller)
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => controller.abort(new EndedError(`no answer within ${limitMs / 1000} s`)), limitMs)
    return {
      signal: controller.signal,
      abort: () => controller.abort(new EndedError('no longer wanted')),
      close: () => {
        clearTimeout(timer)
        this.#running.delete(controller)
      },
    }
  }

  end() {
    this.#ended = true
    for (const controller of this.#running) controller.abort(new EndedError('the program ends'))
  }
}

/**
 * @typedef {object} Task
 * @property {AbortSignal} signal aborts with EndedError
 * @property {() => void} abort
 * @property {() => void} close to be called when the work is done
 */

/** Nobody waits for it any more. */
export class EndedError extends Error {}

/**
 * Waits, or rejects with the signal's reason.
 *
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', settle)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(settle, ms)
    signal.addEventListener('abort', settle)
    if (signal.aborted) settle()
  })
}
