import { type FSWatcher, watch } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '@causeway/kube'

export interface FilesWatchOptions {
  readonly clock: Clock
  /** Something may be different. */
  readonly onChanged: () => void
}

/** A write has many events, and several files are written one after the other. */
const SETTLE_MS = 100
/** File systems exist that tell of nothing. */
const LOOK_EVERY_MS = 5_000

/**
 * Notices changes of files and folders, also where they are replaced by others of the same name, or by what a symbolic link
 * points to. The folders that they are in are watched, and now and then everything is looked at.
 */
export class FilesWatch {
  readonly #options: FilesWatchOptions
  readonly #watchers = new Map<string, FSWatcher>()
  /** Path -> what it looked like when it was looked at last. */
  #seen: ReadonlyMap<string, string> = new Map()
  #settle: unknown
  #look: unknown
  #isClosed = false

  constructor(options: FilesWatchOptions) {
    this.#options = options
  }

  /** From now on these, and no others. Resolves when changes are noticed; whoever reads them reads them after that. */
  async set(paths: readonly string[]): Promise<void> {
    const before = this.#seen
    const entries = paths.map(async (path): Promise<[string, string]> => [path, before.get(path) ?? (await look(path))])
    this.#seen = new Map(await Promise.all(entries))
    if (this.#isClosed) return
    const folders = await foldersOf(paths)
    if (this.#isClosed) return
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of folders) this.#watch(folder)
    this.#look ??= this.#options.clock.setTimeout(() => this.#lookAgain(), LOOK_EVERY_MS)
  }

  /** Whatever they look like, something is different the next time that everything is looked at. */
  lookAnew(): void {
    this.#seen = new Map([...this.#seen.keys()].map((path) => [path, NOT_LOOKED_AT]))
  }

  close(): void {
    this.#isClosed = true
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    this.#options.clock.clearTimeout(this.#settle)
    this.#options.clock.clearTimeout(this.#look)
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#noticed())
      // A folder that goes is looked at again with everything else.
      watcher.on('error', () => {
        watcher.close()
        this.#watchers.delete(folder)
        this.#noticed()
      })
      this.#watchers.set(folder, watcher)
    } catch {
      // It is not there, or the system has no watch left: looking now and then does without.
    }
  }

  #noticed(): void {
    if (this.#isClosed) return
    this.#settle ??= this.#options.clock.setTimeout(() => {
      this.#settle = undefined
      void this.#compare()
    }, SETTLE_MS)
  }

  #lookAgain(): void {
    this.#look = undefined
    void this.#compare().then(() => {
      if (!this.#isClosed) this.#look ??= this.#options.clock.setTimeout(() => this.#lookAgain(), LOOK_EVERY_MS)
    })
  }

  async #compare(): Promise<void> {
    const seen = this.#seen
    const now = new Map<string, string>()
    for (const path of seen.keys()) now.set(path, await look(path))
    // Meanwhile others may be watched: then what is new about these is found the next time.
    if (this.#isClosed || seen !== this.#seen) return
    if ([...now].every(([path, looks]) => seen.get(path) === looks)) return
    this.#seen = now
    this.#options.onChanged()
  }
}

const NOT_LOOKED_AT = '?'

/** The folders that must be watched for a path: its own, that of what it points to, and itself where it is one. */
async function foldersOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const folders = new Set<string>()
  for (const path of paths) {
    folders.add(dirname(path))
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined) continue
    folders.add(dirname(real))
    const found = await stat(real).catch(() => undefined)
    if (found?.isDirectory() === true) folders.add(real)
  }
  return folders
}

/** Different whenever something about the file is: which it is, how long, and when it was written. */
async function look(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found === undefined ? '' : `${found.dev}/${found.ino}/${found.size}/${found.mtimeNs}/${found.ctimeNs}`
}
