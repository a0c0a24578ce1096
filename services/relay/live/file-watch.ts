import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'

export interface FileWatchOptions<Owner> {
  /** Files of these changed, or may have. */
  readonly onChanged: (owners: ReadonlySet<Owner>) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Certificate and key change one after the other; a moment later both are there. */
const SETTLE_MS = 250
/** However often something changes in their folders, which others may write to all the time. */
const MAX_SETTLE_MS = 2_000
/** How soon it is seen that a folder is there which was not. */
const LOOK_MS = 5_000

interface Folder<Owner> {
  watcher: FSWatcher | undefined
  readonly owners: Set<Owner>
}

/**
 * Tells when files change that resources are made from. It watches folders, because mounted Secrets and careful writers
 * replace a file by another of its name; who owns files in a folder hears of every change in it.
 */
export class FileWatch<Owner> {
  readonly #options: FileWatchOptions<Owner>
  readonly #folders = new Map<string, Folder<Owner>>()
  readonly #foldersOf = new Map<Owner, ReadonlySet<string>>()
  readonly #changed = new Set<Owner>()
  #timer: unknown
  /** When the first of them changed. */
  #changedAt: number | undefined
  #look: unknown

  constructor(options: FileWatchOptions<Owner>) {
    this.#options = options
  }

  /** From now on these files (absolute paths) are the owner's, and no others. */
  set(owner: Owner, files: Iterable<string>): void {
    const after = new Set([...files].map(dirname))
    const before = this.#foldersOf.get(owner) ?? NONE
    for (const folder of after) {
      if (!before.has(folder) || this.#folders.get(folder)?.watcher === undefined) this.#join(folder, owner)
    }
    for (const folder of before) if (!after.has(folder)) this.#leave(folder, owner)
    if (after.size === 0) this.#foldersOf.delete(owner)
    else this.#foldersOf.set(owner, after)
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#options.clock.clearTimeout(this.#look)
    for (const { watcher } of this.#folders.values()) watcher?.close()
    this.#folders.clear()
    this.#foldersOf.clear()
  }

  #join(path: string, owner: Owner): void {
    const known = this.#folders.get(path)
    if (known?.watcher !== undefined) {
      known.owners.add(owner)
      return
    }
    const owners = known?.owners ?? new Set<Owner>()
    owners.add(owner)
    // One that was not there may be there now.
    this.#folders.set(path, { owners, watcher: this.#watch(path, owners, known === undefined) })
    this.#lookLater()
  }

  #leave(path: string, owner: Owner): void {
    const folder = this.#folders.get(path)
    if (folder === undefined) return
    folder.owners.delete(owner)
    if (folder.owners.size > 0) return
    folder.watcher?.close()
    this.#folders.delete(path)
  }

  #watch(path: string, owners: ReadonlySet<Owner>, isFirst: boolean): FSWatcher | undefined {
    const failed = (error: unknown): undefined => {
      if (!isFirst) return
      const reason = error instanceof Error ? error.message : String(error)
      this.#options.logger.warn({ folder: path, reason }, 'files are not watched here; they are looked at now and then')
    }
    try {
      const watcher = watch(path, { persistent: false }, (event) => {
        if (event === 'rename') this.#renew(path, watcher)
        this.#soon(owners)
      })
      // On some systems that is how a folder goes.
      return watcher.on('error', (error) => {
        failed(error)
        this.#renew(path, watcher)
        this.#soon(owners)
      })
    } catch (error) {
      return failed(error)
    }
  }

  /** Something in it has another name, or the folder itself has: then its watcher would go on with the one that is gone. */
  #renew(path: string, watcher: FSWatcher): void {
    const folder = this.#folders.get(path)
    if (folder?.watcher !== watcher) return
    watcher.close()
    folder.watcher = this.#watch(path, folder.owners, false)
    this.#lookLater()
  }

  /** A folder that is not there tells of nothing, and neither does its coming. */
  #lookLater(): void {
    const { clock } = this.#options
    if ([...this.#folders.values()].every(({ watcher }) => watcher !== undefined)) return
    this.#look ??= clock.setTimeout(() => {
      this.#look = undefined
      for (const [path, folder] of this.#folders) {
        if (folder.watcher !== undefined) continue
        folder.watcher = this.#watch(path, folder.owners, false)
        if (folder.watcher !== undefined) this.#soon(folder.owners)
      }
      this.#lookLater()
    }, LOOK_MS)
  }

  #soon(owners: ReadonlySet<Owner>): void {
    const { clock, onChanged } = this.#options
    for (const owner of owners) this.#changed.add(owner)
    this.#changedAt ??= clock.now()
    const leftMs = Math.max(0, this.#changedAt + MAX_SETTLE_MS - clock.now())
    clock.clearTimeout(this.#timer)
    this.#timer = clock.setTimeout(
      () => {
        const changed = new Set(this.#changed)
        this.#changed.clear()
        this.#changedAt = undefined
        if (changed.size > 0) onChanged(changed)
      },
      Math.min(SETTLE_MS, leftMs),
    )
  }
}

const NONE: ReadonlySet<string> = new Set()
