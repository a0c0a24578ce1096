import type { Clock } from '@causeway/kube'
import { ReconnectReason } from '@causeway/rpc'
import type { InstanceStream } from './instance-stream.ts'
import type { StreamTiming } from './timing.ts'

export interface StreamAgeOptions {
  readonly stream: Pick<InstanceStream, 'askToMove' | 'end'>
  /** Unix milliseconds of the end of the instance's certificate; undefined: it has none, and the stream no age. */
  readonly endsAtMs: number | undefined
  readonly timing: StreamTiming
  readonly clock: Clock
  readonly random: () => number
}

/** Node's timers take no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** CONTROL section 2: a stream ends at its certificate's end, and after 30 to 60 minutes, without a gap in service. */
export class StreamAge {
  readonly #clock: Clock
  readonly #timers: unknown[] = []

  constructor({ stream, endsAtMs, timing, clock, random }: StreamAgeOptions) {
    this.#clock = clock
    if (endsAtMs === undefined) return
    const leftMs = Math.max(0, endsAtMs - clock.wallNow())
    const ageMs = timing.minAgeMs + random() * (timing.maxAgeMs - timing.minAgeMs)
    this.#after(ageMs, () => stream.askToMove(ReconnectReason.AGE, timing.moveMs))
    this.#after(Math.max(0, leftMs - 2 * timing.moveMs), () =>
      stream.askToMove(ReconnectReason.CERTIFICATE, timing.moveMs),
    )
    this.#after(leftMs, () => stream.end())
  }

  close(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer)
  }

  #after(ms: number, callback: () => void): void {
    this.#timers.push(this.#clock.setTimeout(callback, Math.min(ms, MAX_TIMER_MS)))
  }
}
