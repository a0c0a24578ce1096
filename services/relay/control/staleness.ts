import type { Clock } from '@causeway/npamp/transports'
import type { Staleness as StalenessSettings } from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'

export interface StalenessOptions {
  readonly clock: Clock
  /** Unix milliseconds. */
  readonly wallNow: () => number
  /** Unix milliseconds at which a control plane answered a former process last; undefined: never. */
  readonly lastContactMs: number | undefined
  /** As they are in force. */
  readonly settings: () => StalenessSettings | undefined
  /** From now on nothing is served but what is read_only, or everything again. */
  readonly onDeny: (denied: boolean) => void
  /** A control plane answers at this time; told now and then, to be kept for the next process. */
  readonly onContact: (unixMs: number) => void
  readonly logger: Logger
}

/** How much of the time without a control plane is not counted when the process ends meanwhile. */
const KEEP_EVERY_MS = 60_000
/** Beyond it Node's timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** For how long no control plane has answered, and what follows from that (CONTROL section 3, `maxStaleness`). */
export class Staleness {
  readonly #options: StalenessOptions
  /** Of the clock; undefined: a control plane answers. */
  #staleSince: number | undefined
  #isDenied = false
  #timer: unknown

  constructor(options: StalenessOptions) {
    this.#options = options
    const { clock, wallNow, lastContactMs } = options
    // The wall clock may have been put back since; then nothing is known, and it counts from now on.
    const beforeMs = lastContactMs === undefined ? 0 : Math.max(0, wallNow() - lastContactMs)
    this.#staleSince = clock.now() - beforeMs
  }

  /** 0 while a control plane answers. */
  get seconds(): number {
    return this.#staleSince === undefined ? 0 : (this.#options.clock.now() - this.#staleSince) / 1_000
  }

  /** What is in force may say something else about it now, also without a control plane; and at the start, from the volume. */
  settingsChanged(): void {
    if (this.#staleSince !== undefined) this.#watch(this.#staleSince)
  }

  /** A control plane answers. */
  fresh(): void {
    this.#staleSince = undefined
    this.#deny(false)
    this.#keep()
  }

  /** None does. */
  lost(): void {
    if (this.#staleSince !== undefined) return
    this.#options.onContact(this.#options.wallNow())
    this.#staleSince = this.#options.clock.now()
    this.#watch(this.#staleSince)
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
  }

  #keep(): void {
    const { clock, wallNow, onContact } = this.#options
    onContact(wallNow())
    clock.clearTimeout(this.#timer)
    this.#timer = clock.setTimeout(() => this.#keep(), KEEP_EVERY_MS)
  }

  #watch(since: number): void {
    const { clock, settings } = this.#options
    clock.clearTimeout(this.#timer)
    const maxStalenessMs = settings()?.maxStalenessMs
    const leftMs = maxStalenessMs === undefined ? undefined : since + Number(maxStalenessMs) - clock.now()
    if (leftMs !== undefined && leftMs <= 0) {
      this.#tooOld()
      return
    }
    this.#deny(false)
    if (leftMs !== undefined) this.#timer = clock.setTimeout(() => this.#watch(since), Math.min(leftMs, MAX_TIMER_MS))
  }

  #tooOld(): void {
    const { logger, settings } = this.#options
    const denied = settings()?.denyUnlessReadOnly ?? false
    logger.error(
      { seconds: Math.floor(this.seconds), denied },
      'no control plane has answered for longer than maxStaleness',
    )
    this.#deny(denied)
  }

  #deny(denied: boolean): void {
    if (denied === this.#isDenied) return
    this.#isDenied = denied
    this.#options.onDeny(denied)
  }
}
