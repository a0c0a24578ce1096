/** Times of configuration streams, in milliseconds; CONTROL sections 2 and 3 decide the first group. */
export interface StreamTiming {
  /** How long a Delta that removes most of what there is waits. */
  readonly holdMs: number
  /** A stream is asked to move after a time between these. */
  readonly minAgeMs: number
  readonly maxAgeMs: number

  /** How long an instance may take to open its next stream. */
  readonly moveMs: number
  /** For the first message. */
  readonly helloMs: number
  /** For the answer to a Delta. */
  readonly replyMs: number
  /** Changes within this time go out together: objects that belong together are rarely written at the same instant. */
  readonly settleMs: number
  /** Before what an instance could not take is sent again: at first, and at most. */
  readonly retryMs: number
  readonly maxRetryMs: number
}

export const STREAM_TIMING: StreamTiming = {
  holdMs: 30_000,
  minAgeMs: 30 * 60_000,
  maxAgeMs: 60 * 60_000,
  moveMs: 30_000,
  helloMs: 10_000,
  replyMs: 60_000,
  settleMs: 20,
  retryMs: 1_000,
  maxRetryMs: 60_000,
}
