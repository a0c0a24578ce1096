import type { Clock } from '@causeway/kube'
import { type AnyResource, ConfigurationError, type Problem, type Resources } from '@causeway/mesh-api'
import type { Position, RelayIdentityStatus, Source, SourceChange, SourceObserver, SourceStatus } from '../source.ts'
import { type FilesCounter, openCounter } from './counter.ts'
import { expandPaths } from './expand-paths.ts'
import { identitiesOf, keyFilesOf } from './identities.ts'
import { differenceOf, type ToldObjects } from './set-diff.ts'
import { FilesWatch } from './watch-files.ts'

export interface FilesSourceOptions {
  /** Files and folders. */
  readonly paths: readonly string[]
  /** Reads and validates the files that `paths` stand for, as one whole. Rejects with ConfigurationError. */
  readonly load: (files: readonly string[]) => Promise<Resources>
  /** Where position and id are kept; undefined: they begin anew with every process. */
  readonly stateFolder: string | undefined
  readonly clock: Clock
  /** A set that is not valid: what was last good stays. Told once for each look at the files. */
  readonly onRefused: (problems: readonly Problem[]) => void
  /** A set is in force from now on; also where nothing is different in it, after one that was refused. */
  readonly onTaken: (resources: Resources) => void
}

/** Reads the files for the first time. Rejects with ConfigurationError, or with the error of the file system. */
export async function openFilesSource(options: FilesSourceOptions): Promise<FilesSource> {
  const source = new FilesSource(options, await openCounter(options.stateFolder))
  try {
    await source.readFirst()
    return source
  } catch (error) {
    await source.close()
    throw error
  }
}

/**
 * Objects of files, which are read again when they change. A set is taken as a whole or not at all: while a file is broken
 * the last good set stays, as it would on a cluster.
 */
export class FilesSource implements Source {
  readonly #options: FilesSourceOptions
  readonly #counter: FilesCounter
  readonly #watch: FilesWatch
  #resources: Resources | undefined
  #told: ToldObjects = new Map()
  #observer: SourceObserver | undefined
  #reading: Promise<void> = Promise.resolve()
  #wasRefused = false
  /** Of the file system: tried again every few seconds, and told once. */
  #lastFailure: string | undefined
  #isClosed = false

  constructor(options: FilesSourceOptions, counter: FilesCounter) {
    this.#options = options
    this.#counter = counter
    this.#watch = new FilesWatch({ clock: options.clock, onChanged: () => void this.#readAgain() })
  }

  /** The last good set. */
  get resources(): Resources {
    if (this.#resources === undefined) throw new TypeError('the files have not been read yet')
    return this.#resources
  }

  async readFirst(): Promise<void> {
    const change = await this.#read()
    this.#observer?.changed(change)
  }

  /** Tells all that there is, and from then on what changes. Once. */
  start(observer: SourceObserver): this {
    this.#observer = observer
    const upserts = [...this.#told.values()]
    const kinds = new Set(upserts.map(({ resource }) => resource.kind))
    observer.changed({ upserts, removals: [], invalid: [], positions: this.#positionsOf(kinds) })
    observer.synced()
    return this
  }

  relist({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    return signal.aborted || this.#isClosed
      ? Promise.reject(new Error('the source of files is closed'))
      : this.#readAgain()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#watch.close()
    await this.#reading
  }

  /** One reading at a time; each begins after it was asked for. */
  #readAgain(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readAndTell())
    return this.#reading
  }

  async #readAndTell(): Promise<void> {
    if (this.#isClosed) return
    try {
      const change = await this.#read()
      if (this.#isClosed) return
      const isDifferent = change.upserts.length > 0 || change.removals.length > 0
      if (isDifferent) this.#observer?.changed(change)
      if (isDifferent || this.#wasRefused) this.#options.onTaken(this.resources)
      this.#wasRefused = false
      this.#lastFailure = undefined
    } catch (error) {
      if (this.#isClosed) return
      this.#wasRefused = true
      // What is ours may work again (a disk that was full) without anything about the files being different.
      if (!(error instanceof ConfigurationError)) this.#watch.lookAnew()
      this.#refused(problemsOf(error, this.#options.paths), error instanceof ConfigurationError)
    }
  }

  #refused(problems: readonly Problem[], isOfFiles: boolean): void {
    const failure = isOfFiles ? undefined : problems.map(({ message }) => message).join()
    const isNews = failure === undefined || failure !== this.#lastFailure
    this.#lastFailure = failure
    if (isNews) this.#options.onRefused(problems)
  }

  async #read(): Promise<SourceChange> {
    const files = await expandPaths(this.#options.paths)
    const paths = [...new Set([...this.#options.paths, ...files])]
    const keyFiles = this.#resources === undefined ? [] : keyFilesOf(this.#resources)
    await this.#watch.set([...paths, ...keyFiles])
    const resources = await this.#options.load(files)
    await this.#watch.set([...paths, ...keyFilesOf(resources)])
    const identities = await identitiesOf(resources)
    const { told, upserts, removals, kinds } = differenceOf(this.#told, resources, (one) => statusOf(one, identities))
    if (upserts.length > 0 || removals.length > 0) await this.#counter.advance()
    this.#resources = resources
    this.#told = told
    return { upserts, removals, invalid: [], positions: this.#positionsOf(kinds) }
  }

  #positionsOf(kinds: ReadonlySet<AnyResource['kind']>): ReadonlyMap<AnyResource['kind'], Position> {
    return new Map([...kinds].map((kind) => [kind, this.#counter.position]))
  }
}

function statusOf({ kind, metadata }: AnyResource, identities: ReadonlyMap<string, RelayIdentityStatus>): SourceStatus {
  if (kind !== 'MeshRelay') return {}
  const identity = identities.get(`${metadata.namespace}/${metadata.name}`)
  return identity === undefined ? {} : { identity }
}

/** The file system may fail too, also with what is ours. */
function problemsOf(error: unknown, [file = '']: readonly string[]): readonly Problem[] {
  if (error instanceof ConfigurationError) return error.problems
  const message = error instanceof Error ? error.message : String(error)
  return [{ file, line: 0, column: 0, fieldPath: '', message }]
}
