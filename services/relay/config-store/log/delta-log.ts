import { type StateFile, type StateFolder, UnsureReplaceError } from '../state/state-folder.ts'
import { encodeRecord, HEADER_OCTETS, type LogRecord, newHeader, readHeader, type Salt } from './record.ts'
import { type Scanned, scan } from './scan.ts'

const LOG_NAME = 'config.log'
/** What a damaged log is kept as, for whoever wants to know. */
const DAMAGED_NAME = 'config.log.damaged'

/** What was found on the volume. */
export interface OpenedLog {
  readonly log: DeltaLog
  readonly records: readonly LogRecord[]
  /** Octets of a write that a crash had cut short: cut off. */
  readonly tornOctets: number
  /** The log could not be used, and was put aside. */
  readonly damage: LogDamage | undefined
}

export interface LogDamage {
  readonly file: string
  readonly offset: number
  readonly reason: string
}

export interface LogLimits {
  readonly maxOctets: number
  /** How much is appended at least before a log is worth to be compacted. */
  readonly compactAfterOctets: number
}

/**
 * A history of changes in one file. One change costs its own octets; from time to time the file is written anew with nothing
 * but what is left of them, which a change pays for in proportion.
 */
export class DeltaLog {
  readonly #folder: StateFolder
  readonly #compactAfterOctets: number
  #file: StateFile | undefined
  #salt: Salt
  #end: number
  #compactedOctets: number
  #retryAtOctets = 0

  private constructor(folder: StateFolder, limits: LogLimits, file: StateFile, salt: Salt, end: number) {
    this.#folder = folder
    this.#compactAfterOctets = limits.compactAfterOctets
    this.#file = file
    this.#salt = salt
    this.#end = end
    this.#compactedOctets = end
  }

  /** Rejects when the folder cannot be read or written. */
  static async open(folder: StateFolder, limits: LogLimits): Promise<OpenedLog> {
    const octets = await folder.read(LOG_NAME, limits.maxOctets)
    const scanned = octets === undefined ? undefined : scan(octets)
    if (scanned === undefined || scanned.kind === 'damaged') return await DeltaLog.#create(folder, limits, scanned)
    const { salt, end, records, tornOctets } = scanned
    const file = await folder.open(LOG_NAME)
    if (tornOctets > 0) await file.truncate(end)
    return { log: new DeltaLog(folder, limits, file, salt, end), records, tornOctets, damage: undefined }
  }

  static async #create(
    folder: StateFolder,
    limits: LogLimits,
    damaged: Extract<Scanned, { kind: 'damaged' }> | undefined,
  ): Promise<OpenedLog> {
    if (damaged !== undefined) await folder.rename(LOG_NAME, DAMAGED_NAME)
    const header = newHeader()
    await folder.replace(LOG_NAME, [header])
    const log = new DeltaLog(folder, limits, await folder.open(LOG_NAME), saltOf(header), HEADER_OCTETS)
    const damage = damaged && {
      file: `${folder.path}/${DAMAGED_NAME}`,
      offset: damaged.offset,
      reason: damaged.reason,
    }
    return { log, records: [], tornOctets: 0, damage }
  }

  /** Of the file. */
  get octets(): number {
    return this.#end
  }

  /** Whether more has been appended since than a compacted file has. */
  get wantsCompaction(): boolean {
    const appended = this.#end - this.#compactedOctets
    return appended > Math.max(this.#compactAfterOctets, this.#compactedOctets) && this.#end >= this.#retryAtOctets
  }

  /** After a write that failed: nothing is appended until the file is written anew. */
  get isBroken(): boolean {
    return this.#file === undefined
  }

  /** Resolves when the record is on the disk. Rejects when it is not: the log is as before then, or broken. */
  async append(record: LogRecord): Promise<void> {
    const file = this.#file
    if (file === undefined) throw new Error('the log is broken')
    const octets = encodeRecord(record, this.#salt, this.#end)
    try {
      await file.write(octets, this.#end)
    } catch (error) {
      await this.#cutBack(file)
      throw error
    }
    this.#end += octets.length
  }

  /**
   * Writes the file anew, with these records and no others; whole or not at all. Also mends a broken log. Rejects when it
   * cannot be written: the log is as before then, or broken.
   */
  async rewrite(records: Iterable<LogRecord>): Promise<void> {
    const header = newHeader()
    const salt = saltOf(header)
    let end = 0
    const count = function* (): Iterable<Uint8Array> {
      end += header.length
      yield header
      for (const record of records) {
        const octets = encodeRecord(record, salt, end)
        end += octets.length
        yield octets
      }
    }
    // Only after as much again is it tried again, where there is no room for a second file.
    this.#retryAtOctets = this.#end * 2
    try {
      await this.#folder.replace(LOG_NAME, count())
    } catch (error) {
      // What is appended now would be to a file that nobody finds again.
      if (error instanceof UnsureReplaceError) await this.#break()
      throw error
    }
    await this.#break()
    this.#file = await this.#folder.open(LOG_NAME)
    this.#salt = salt
    this.#end = end
    this.#compactedOctets = end
    this.#retryAtOctets = 0
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** What was written of a record must not stand before the next one. After a failure it is not known what is on the disk. */
  async #cutBack(file: StateFile): Promise<void> {
    try {
      await file.truncate(this.#end)
    } catch {
      await this.#break()
    }
  }

  async #break(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close().catch(() => {})
  }
}

function saltOf(header: Buffer): Salt {
  const salt = readHeader(header)
  if (salt === undefined) throw new TypeError('a header that was just made is one')
  return salt
}
