import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@causeway/npamp/transports'
import type { Logger } from '@causeway/telemetry'
import { ConfigProblem, type ProblemReason } from '../config/problem.ts'
import type { ConfigurationChange, LiveConfiguration, Refusal, ResourceId } from '../config-store/contract.ts'
import { Dependents } from './dependents.ts'
import { type Entry, isCurrent } from './entry.ts'
import { FileWatch } from './file-watch.ts'
import type { InForce, RouteInForce, SettingsChange } from './in-force.ts'
import { type PrepareOptions, prepare } from './prepare.ts'
import { type Settled, settle } from './settle.ts'
import { claimsOf, dependencyOf, keyOf, type Table } from './table.ts'

export interface LiveResourcesOptions extends PrepareOptions {
  readonly inForce: InForce
  readonly clock: Clock
  readonly logger: Logger
}

/** What may pass by itself is tried again this often, besides when a file changes. */
const RETRY_MS = 5_000
const MAY_PASS: ReadonlySet<string> = new Set<ProblemReason>(['CredentialPending', 'FileUnusable', 'ListenFailed'])
const RELAY = 'relay'

/**
 * What the relay was sent, and what of it is in force. Each change is prepared first, whatever of it can fail, and then comes
 * into force in one turn; what cannot keeps its last good version, together with what depends on it (CONTROL section 3).
 */
export class LiveResources implements LiveConfiguration {
  readonly #options: LiveResourcesOptions
  readonly #entries = new Map<string, Entry>()
  readonly #refused = new Set<Entry>()
  /** What is to go, and has not gone yet: whatever fails, nobody stays because of it. */
  readonly #leaving = new Set<Entry>()
  readonly #holders = new Map<string, Entry>()
  /** The relay resource. */
  #settingsOf: Entry | undefined
  readonly #dependents = new Dependents()
  /** Of the files of what was prepared last. */
  readonly #contents = new WeakMap<Entry, string>()
  readonly #files: FileWatch<Entry>
  #tail: Promise<unknown> = Promise.resolve()
  #onRefusalsChanged: (refusals: readonly Refusal[]) => void = () => {}
  #retry: unknown
  #closed = false

  constructor(options: LiveResourcesOptions) {
    const { clock, logger } = options
    this.#options = options
    this.#files = new FileWatch({ clock, logger, onChanged: (entries) => this.#again(entries) })
  }

  apply(change: ConfigurationChange): Promise<readonly Refusal[]> {
    return this.#inTurn(() => this.#apply(change))
  }

  onRefusalsChanged(callback: (refusals: readonly Refusal[]) => void): void {
    this.#onRefusalsChanged = callback
  }

  /** Nothing changes any more; resolves when what was under way is over. */
  async close(): Promise<void> {
    this.#closed = true
    this.#files.close()
    this.#options.clock.clearTimeout(this.#retry)
    await this.#tail
  }

  // --- turns ---

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => undefined)
    return turn
  }

  async #apply({ upserts, removals }: ConfigurationChange): Promise<readonly Refusal[]> {
    if (this.#closed) return this.#refusals()
    const dirty = new Set<Entry>()
    for (const resource of upserts) {
      const { kind, name } = resource
      const entry = this.#entry({ kind, name })
      entry.sent = resource
      this.#leaving.delete(entry)
      dirty.add(entry)
    }
    for (const id of removals) {
      const entry = this.#entries.get(keyOf(id))
      if (entry === undefined) continue
      entry.sent = undefined
      this.#leaving.add(entry)
      dirty.add(entry)
    }
    await this.#pass(dirty)
    return this.#refusals()
  }

  /** Files changed, or time passed. */
  #again(entries: Iterable<Entry>): void {
    void this.#inTurn(async () => {
      if (this.#closed) return
      const before = this.#refusals()
      await this.#pass(new Set([...entries].filter(({ id }) => this.#entries.has(keyOf(id)))))
      const after = this.#refusals()
      if (!isDeepStrictEqual(before, after)) this.#onRefusalsChanged(after)
    })
  }

  // --- one change ---

  async #pass(dirty: Set<Entry>): Promise<void> {
    try {
      await this.#putInForce(this.#affected(dirty))
    } catch (error) {
      // A fault of ours must not let a relay go on as if it had understood.
      this.#options.logger.error({ err: error }, 'a change of the configuration could not be put into force')
      for (const entry of dirty) this.#refuse(entry, new ConfigProblem('Invalid', '', 'this version fails on it'))
    }
    this.#armRetry()
  }

  /** With all that may come out otherwise because of it. */
  #affected(dirty: Set<Entry>): ReadonlySet<Entry> {
    for (const entry of this.#leaving) dirty.add(entry)
    if (this.#settingsOf !== undefined && this.#settingsOf.sent === undefined) return new Set(this.#entries.values())
    for (const entry of [...dirty]) {
      if (entry.sent !== undefined) continue
      for (const dependent of this.#dependents.of(entry.id)) dirty.add(dependent)
    }
    for (const entry of this.#refused) dirty.add(entry)
    return dirty
  }

  async #putInForce(dirty: ReadonlySet<Entry>): Promise<void> {
    const removed = new Set([...dirty].filter(({ sent }) => sent === undefined))
    const { prepared, problems } = await this.#prepareAll(dirty)
    const settings = await this.#prepareSettings(dirty, prepared, problems)
    if (settings.isMissing) {
      prepared.clear()
      for (const entry of dirty) if (!problems.has(entry)) problems.set(entry, NO_SETTINGS)
    }
    const settled = settle({ entries: this.#entries, holders: this.#holders, prepared, removed })
    this.#commit(settled, removed, settings)
    for (const [entry, problem] of [...problems, ...settled.problems]) this.#refuse(entry, problem)
  }

  async #prepareAll(dirty: ReadonlySet<Entry>): Promise<{ prepared: Map<Entry, Table>; problems: Problems }> {
    const prepared = new Map<Entry, Table>()
    const problems: Problems = new Map()
    const work = [...dirty].map(async (entry) => {
      if (entry.sent === undefined) {
        this.#files.set(entry, [])
        return
      }
      const { outcome, files, contents } = await prepare(entry.sent, this.#options)
      this.#files.set(entry, files)
      const isSame = isCurrent(entry) && entry.force?.contents === contents
      if (outcome instanceof ConfigProblem) problems.set(entry, outcome)
      // Something else changed in the folder of its files. What comes back after another version was refused is put right.
      else if (isSame && dependencyOf(outcome) === undefined && !this.#refused.has(entry)) return
      else {
        prepared.set(entry, outcome)
        this.#contents.set(entry, contents)
        this.#dependents.set(entry, dependencyOf(outcome))
      }
    })
    await Promise.all(work)
    return { prepared, problems }
  }

  /** Settings first: whatever of them can fail is tried before anything comes into force. */
  async #prepareSettings(
    dirty: ReadonlySet<Entry>,
    prepared: Map<Entry, Table>,
    problems: Problems,
  ): Promise<PreparedSettings> {
    const entry = this.#settingsOf
    if (entry === undefined || !dirty.has(entry)) return { change: undefined, isMissing: !this.#hasSettings }
    if (entry.sent === undefined) return { change: await this.#options.inForce.prepare(undefined), isMissing: true }
    const table = prepared.get(entry)
    if (table?.kind !== RELAY) return { change: undefined, isMissing: entry.force === undefined }
    try {
      return { change: await this.#options.inForce.prepare(table.config), isMissing: false }
    } catch (error) {
      if (!(error instanceof ConfigProblem)) throw error
      prepared.delete(entry)
      problems.set(entry, error)
      return { change: undefined, isMissing: entry.force === undefined }
    }
  }

  get #hasSettings(): boolean {
    return this.#settingsOf !== undefined && this.#settingsOf.force !== undefined
  }

  // --- what comes into force ---

  #commit({ accepted, unavailable }: Settled, removed: ReadonlySet<Entry>, settings: PreparedSettings): void {
    const change = new Changes()
    const goes = settings.isMissing ? [...this.#entries.values()] : [...removed]
    for (const entry of goes) {
      if (entry.force !== undefined) {
        change.remove(entry.id)
        this.#release(entry, entry.force.table)
        entry.force = undefined
      }
      if (entry.sent === undefined) this.#forget(entry)
    }
    const come = [...accepted].map(([entry, table]) => ({ entry, table, isAvailable: true }))
    const standIns = [...unavailable].map(([entry, table]) => ({ entry, table, isAvailable: false }))
    const all = [...come, ...standIns]
    for (const { entry } of all) if (entry.force !== undefined) this.#release(entry, entry.force.table)
    for (const { entry, table, isAvailable } of all) {
      const { sent, force } = entry
      if (sent === undefined) continue
      for (const claim of claimsOf(table)) this.#holders.set(claim, entry)
      const isSame = force?.isAvailable === isAvailable && isDeepStrictEqual(force.table, table)
      entry.force = { version: sent.version, table, isAvailable, contents: this.#contents.get(entry) ?? '' }
      if (isAvailable) this.#clear(entry)
      if (!isSame) change.set(entry.id, table, isAvailable)
    }
    const { peers, backends, routes } = change
    if (settings.change === undefined && peers.size + backends.size + routes.size === 0) return
    this.#options.inForce.change({ settings: settings.change, peers, backends, routes })
  }

  #release(entry: Entry, table: Table): void {
    for (const claim of claimsOf(table)) if (this.#holders.get(claim) === entry) this.#holders.delete(claim)
  }

  // --- bookkeeping ---

  #entry(id: ResourceId): Entry {
    const key = keyOf(id)
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const entry: Entry = { id, sent: undefined, force: undefined, refusal: undefined }
    this.#entries.set(key, entry)
    if (id.kind === RELAY && id.name === this.#options.relayName) this.#settingsOf = entry
    return entry
  }

  #forget(entry: Entry): void {
    this.#entries.delete(keyOf(entry.id))
    this.#refused.delete(entry)
    this.#leaving.delete(entry)
    this.#dependents.set(entry, undefined)
    if (this.#settingsOf === entry) this.#settingsOf = undefined
  }

  #refuse(entry: Entry, { reason, fieldPath, message }: ConfigProblem): void {
    const { sent, id } = entry
    if (sent === undefined || !this.#entries.has(keyOf(id))) return
    if (isCurrent(entry) && reason !== 'DependencyRefused') {
      // Only its files are others, and cannot be used: those that are in force stay, and nothing was refused.
      this.#options.logger.warn(
        { ...id, reason, fieldPath },
        `what changed cannot be used, and the last stays: ${message}`,
      )
      return
    }
    const isNew = entry.refusal?.reason !== reason || entry.refusal.version !== sent.version
    entry.refusal = { ...id, version: sent.version, reason, fieldPath, message }
    this.#refused.add(entry)
    if (isNew)
      this.#options.logger.warn({ ...id, reason, fieldPath }, `a resource is not in force as it was sent: ${message}`)
  }

  #clear(entry: Entry): void {
    entry.refusal = undefined
    this.#refused.delete(entry)
  }

  #refusals(): readonly Refusal[] {
    const refusals = [...this.#refused].map(({ refusal }) => refusal).filter((refusal) => refusal !== undefined)
    return refusals.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  }

  #armRetry(): void {
    const { clock } = this.#options
    clock.clearTimeout(this.#retry)
    const refused = [...this.#refused].filter(({ refusal }) => MAY_PASS.has(refusal?.reason ?? ''))
    const mayPass = [...refused, ...this.#leaving]
    if (mayPass.length > 0 && !this.#closed) this.#retry = clock.setTimeout(() => this.#again(mayPass), RETRY_MS)
  }
}

type Problems = Map<Entry, ConfigProblem>

interface PreparedSettings {
  readonly change: SettingsChange | undefined
  /** After this change none are in force, and so nothing else is. */
  readonly isMissing: boolean
}

const NO_SETTINGS = new ConfigProblem(
  'DependencyRefused',
  'spec.relayRefs',
  'the settings of this relay are not in force',
)

/** What the rooms are told. */
class Changes {
  readonly peers = new Map<string, Extract<Table, { kind: 'peer' }>['config'] | undefined>()
  readonly backends = new Map<string, Extract<Table, { kind: 'backend' }>['config'] | undefined>()
  readonly routes = new Map<string, RouteInForce | undefined>()

  set({ name }: ResourceId, table: Table, isAvailable: boolean): void {
    if (table.kind === 'peer') this.peers.set(name, table.config)
    else if (table.kind === 'backend') this.backends.set(name, table.config)
    else if (table.kind === 'route') this.routes.set(name, { config: table.config, isAvailable })
  }

  remove({ kind, name }: ResourceId): void {
    if (kind === 'peer') this.peers.set(name, undefined)
    else if (kind === 'backend') this.backends.set(name, undefined)
    else if (kind === 'route') this.routes.set(name, undefined)
  }
}
