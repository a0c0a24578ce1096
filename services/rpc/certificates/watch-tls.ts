import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { readTls, type TlsFiles, TlsFilesError } from './read-tls.ts'
import type { TlsMaterial } from './tls-material.ts'

/** Timers of a clock. */
interface Timers {
  setTimeout(callback: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

export interface TlsWatchOptions {
  readonly files: TlsFiles
  /** New material, which can be used; also the first. What it throws is a problem, and the last material stays. */
  readonly onChange: (material: TlsMaterial) => void
  /** What cannot be used, and why; the same reason in a row once. */
  readonly onProblem: (reason: string) => void
  readonly timers: Timers
}

export interface WatchedTls {
  /** Undefined: there was none yet that can be used. */
  current(): TlsMaterial | undefined
  close(): void
}

/** Files of one pair change one after the other; a moment later all are there. */
const SETTLE_MS = 250
/** Changes are told by the file system; where it does not, or a folder comes later, they are seen within this time. */
const LOOK_MS = 5_000

/**
 * Reads certificates, and again whenever they change (CONTROL section 2: whole directories are mounted and watched). The
 * files may be absent or wrong at the start. Resolves after the first reading.
 */
export async function watchTls(options: TlsWatchOptions): Promise<WatchedTls> {
  const watching = new TlsWatch(options)
  await watching.read()
  return watching
}

class TlsWatch implements WatchedTls {
  readonly #options: TlsWatchOptions
  readonly #folders: ReadonlySet<string>
  readonly #watchers = new Map<string, FSWatcher>()
  #current: TlsMaterial | undefined
  #problem: string | undefined
  #timer: unknown
  #reading = false
  #closed = false

  constructor(options: TlsWatchOptions) {
    this.#options = options
    const { certificateChain, key, authorities } = options.files
    this.#folders = new Set([certificateChain, key, authorities].map((file) => dirname(file)))
  }

  current(): TlsMaterial | undefined {
    return this.#current
  }

  close(): void {
    this.#closed = true
    this.#options.timers.clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  async read(): Promise<void> {
    this.#reading = true
    this.#watchFolders()
    try {
      this.#take(await readTls(this.#options.files))
      this.#problem = undefined
    } catch (error) {
      this.#tell(error instanceof TlsFilesError ? error.message : `the certificates cannot be used: ${String(error)}`)
    }
    this.#reading = false
    this.#again(LOOK_MS)
  }

  #take(material: TlsMaterial): void {
    if (this.#closed || (this.#current !== undefined && same(material, this.#current))) return
    this.#options.onChange(material)
    this.#current = material
  }

  #tell(problem: string): void {
    if (this.#closed || problem === this.#problem) return
    this.#problem = problem
    this.#options.onProblem(problem)
  }

  /** A folder that is replaced by another of its name ends its watcher; the next look finds the new one. */
  #watchFolders(): void {
    for (const folder of this.#folders) {
      if (this.#closed || this.#watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: false }, (event) => {
          if (event === 'rename') this.#forget(folder)
          this.#again(SETTLE_MS)
        })
        watcher.on('error', () => this.#forget(folder))
        this.#watchers.set(folder, watcher)
      } catch {
        // It is not there, or cannot be watched: it is looked at.
      }
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #again(ms: number): void {
    if (this.#closed || this.#reading) return
    const { timers } = this.#options
    timers.clearTimeout(this.#timer)
    this.#timer = timers.setTimeout(() => void this.read(), ms)
  }
}

function same(one: TlsMaterial, other: TlsMaterial): boolean {
  return (
    Buffer.compare(one.certificateChain, other.certificateChain) === 0 &&
    Buffer.compare(one.key, other.key) === 0 &&
    Buffer.compare(one.authorities, other.authorities) === 0
  )
}
