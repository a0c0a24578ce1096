import type { Delta, ResourceName } from '@causeway/rpc'
import type { Logger } from '@causeway/telemetry'
import type { HeldSet } from './held-set.ts'
import { DeltaLog, type LogDamage, type LogLimits } from './log/delta-log.ts'
import { compacted, contactRecord, deltaRecord, replay, verdictRecord } from './log/history.ts'
import type { LogRecord } from './log/record.ts'
import type { StateFolder } from './state/state-folder.ts'

/** What a store remembers beyond its process. */
export interface Volume {
  /** Unix milliseconds; undefined: no control plane ever answered. */
  readonly lastContactMs: number | undefined
  /** Of the log. */
  readonly octets: number
  /** Resolves when the Delta is on the disk. Rejects when it is not, and then it is not there after a crash either, or as a whole. */
  record(delta: Delta): Promise<void>
  /** What of everything that was sent is not in force. Never rejects: without it more is tried again after a start. */
  verdict(refused: readonly Pick<ResourceName, 'kind' | 'name'>[]): Promise<void>
  /** A control plane answered. Never rejects. */
  contact(atMs: number): Promise<void>
  /** Compacts the log where that is worth it. Never rejects. */
  tidy(): Promise<void>
  close(): Promise<void>
}

export interface OpenedVolume {
  readonly volume: Volume
  /** The log that was there could not be used. */
  readonly damage: LogDamage | undefined
}

/** Opens the log of a folder and brings the set to where it ends. Rejects when the folder cannot be used. */
export async function openVolume(
  folder: StateFolder,
  limits: LogLimits,
  held: HeldSet,
  logger: Logger,
): Promise<OpenedVolume> {
  const { log, records, tornOctets, damage } = await DeltaLog.open(folder, limits)
  if (damage !== undefined) {
    logger.error({ ...damage }, 'the configuration on the volume is damaged and is not used; the file is kept')
  }
  if (tornOctets > 0)
    logger.warn({ octets: tornOctets }, 'the last write to the configuration on the volume was cut short')
  const { lastContactMs } = replay(records, held)
  return { volume: new LogVolume(log, held, lastContactMs, logger), damage }
}

class LogVolume implements Volume {
  readonly #log: DeltaLog
  readonly #held: HeldSet
  readonly #logger: Logger
  #lastContactMs: number | undefined

  constructor(log: DeltaLog, held: HeldSet, lastContactMs: number | undefined, logger: Logger) {
    this.#log = log
    this.#held = held
    this.#logger = logger
    this.#lastContactMs = lastContactMs
  }

  get lastContactMs(): number | undefined {
    return this.#lastContactMs
  }

  get octets(): number {
    return this.#log.octets
  }

  async record(delta: Delta): Promise<void> {
    if (this.#log.isBroken) await this.#rewrite()
    await this.#log.append(deltaRecord(delta))
  }

  async verdict(refused: readonly Pick<ResourceName, 'kind' | 'name'>[]): Promise<void> {
    await this.#try('what is refused could not be written to the volume', () => this.#append(verdictRecord(refused)))
  }

  async contact(atMs: number): Promise<void> {
    this.#lastContactMs = atMs
    await this.#try('the last contact could not be written to the volume', () => this.#append(contactRecord(atMs)))
  }

  async tidy(): Promise<void> {
    if (!this.#log.wantsCompaction) return
    await this.#try('the configuration on the volume could not be compacted', () => this.#rewrite())
  }

  async close(): Promise<void> {
    await this.#try('the configuration on the volume could not be closed', () => this.#log.close())
  }

  #rewrite(): Promise<void> {
    return this.#log.rewrite(compacted(this.#held, this.#lastContactMs))
  }

  async #append(record: LogRecord): Promise<void> {
    if (!this.#log.isBroken) await this.#log.append(record)
  }

  async #try(message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#logger.warn({ reason: error instanceof Error ? error.message : String(error) }, message)
    }
  }
}

/** For a process that keeps nothing: what stands in files is read again at its start. */
export function noVolume(): Volume {
  let lastContactMs: number | undefined
  return {
    get lastContactMs() {
      return lastContactMs
    },
    octets: 0,
    record: () => Promise.resolve(),
    verdict: () => Promise.resolve(),
    contact: (atMs) => {
      lastContactMs = atMs
      return Promise.resolve()
    },
    tidy: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
