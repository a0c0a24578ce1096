import { type Clock, delay } from '../clock.ts'
import type { ObjectRef } from '../objects.ts'
import type { KubeClient } from '../rest/client.ts'
import { isKubeError, KubeError } from '../rest/kube-error.ts'
import { heldBy, LEASES, type Lease, released } from './lease.ts'
import { ObservedLease } from './observed-lease.ts'

export interface LeaderElectionOptions {
  /** A client without `mayWrite`, or nobody ever becomes the leader. */
  readonly client: Pick<KubeClient, 'find' | 'create' | 'replace'>
  readonly clock: Clock
  /** In [0, 1), for jitter. */
  readonly random: () => number
  readonly lease: Required<ObjectRef>
  /** Unique to this process, not only to its pod: a pod name and something random. */
  readonly identity: string
  /** From now on `isLeader`. */
  readonly acquired: () => void
  /**
   * The term is over without our will; nothing is tried again. The process exits: what it has under way cannot be called
   * back, and a new process begins with nothing in its hands.
   */
  readonly lost: (reason: KubeError) => void
  /** A request failed; it is tried again. */
  readonly failing?: (error: KubeError) => void
  /** Somebody else, or we, have the lease; undefined: nobody. */
  readonly holderChanged?: (identity: string | undefined) => void
  readonly timing?: Partial<ElectionTiming>
}

export interface ElectionTiming {
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryMs: number
}

/** CONTROL section 4. */
export const ELECTION_TIMING: ElectionTiming = { leaseDurationMs: 10_000, renewDeadlineMs: 6_000, retryMs: 1_500 }
const RETRY_JITTER = 0.2
/** For one answer: a leader whose connection is dead has the time for a second try before its term is over. */
const REQUEST_TIMEOUT_MS = 2_500

type State =
  | { readonly name: 'candidate' }
  /** `renewedAtMs`: when the request was sent that was answered last: the lease runs from no later than that. */
  | {
      readonly name: 'leader'
      readonly lease: Lease | undefined
      readonly renewedAtMs: number
      readonly timer: unknown
    }
  | { readonly name: 'over' }

/**
 * One of several processes is the leader, by a Lease. The leader stops being one `renewDeadlineMs` after its last
 * renewal, which is before another can be: it does not need to hear from the API server for that.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions
  readonly #timing: ElectionTiming
  readonly #observed = new ObservedLease()
  readonly #stopped = new AbortController()
  #state: State = { name: 'candidate' }
  #holder: string | undefined
  #running: Promise<void> | undefined

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#timing = { ...ELECTION_TIMING, ...options.timing }
  }

  /**
   * Judged by the clock at the moment of asking: right also in a process that was stopped and whose timers have not
   * fired yet. To be asked before every write.
   */
  get isLeader(): boolean {
    const state = this.#state
    return state.name === 'leader' && this.#options.clock.now() < state.renewedAtMs + this.#timing.renewDeadlineMs
  }

  /** Who holds the lease as far as is known here. */
  get holder(): string | undefined {
    return this.#holder
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** A leader gives the lease back, so that the next one need not wait. What it leads has to be at rest before. */
  async stop(): Promise<void> {
    const state = this.#state
    const wasLeader = this.isLeader
    this.#end()
    this.#stopped.abort()
    await this.#running
    if (state.name === 'leader' && wasLeader) await this.#release(state.lease)
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options
    while (!this.#isOver()) {
      try {
        await this.#try()
      } catch (error) {
        if (!isKubeError(error)) throw error
        if (this.#state.name === 'leader') this.#forgetLease()
        // Of several that create the lease one succeeds: that is how it is meant to be.
        if (!this.#stopped.signal.aborted && error.code !== 'AlreadyExists') this.#options.failing?.(error)
      }
      const waitMs = this.#timing.retryMs * (1 + RETRY_JITTER * random())
      if (!this.#isOver()) await delay(clock, waitMs, this.#stopped.signal)
    }
  }

  async #try(): Promise<void> {
    const { client, clock, identity, lease: ref } = this.#options
    if (this.#state.name === 'leader' && this.#state.lease !== undefined) {
      const isWritten = await this.#write(this.#state.lease)
      if (isWritten || this.#stopped.signal.aborted) return
    }
    const lease = await client.find(LEASES, ref, this.#requestOptions())
    if (this.#stopped.signal.aborted) return
    const nowMs = clock.now()
    if (lease === undefined) {
      const spec = heldBy(identity, undefined, this.#timing.leaseDurationMs, clock.wallNow())
      const created = await client.create(LEASES, { metadata: { ...ref }, spec }, this.#requestOptions())
      this.#hold(created, nowMs)
      return
    }
    const holder = lease.spec?.holderIdentity
    this.#setHolder(holder)
    if (holder !== undefined && holder !== '' && holder !== identity) {
      if (this.#state.name === 'leader') {
        this.#lose(new KubeError('Conflict', `lease ${refText(ref)}: taken by ${holder}`))
        return
      }
      if (!this.#observed.isExpired(lease.spec ?? {}, this.#timing.leaseDurationMs, nowMs)) return
    }
    await this.#write(lease)
  }

  /** Takes or renews the lease as it was read. False when somebody else has written it since. */
  async #write(lease: Lease): Promise<boolean> {
    const { client, clock, identity } = this.#options
    const sentAtMs = clock.now()
    const spec = heldBy(identity, lease.spec, this.#timing.leaseDurationMs, clock.wallNow())
    try {
      // With the resourceVersion that was read: of two who try at the same time one gets a Conflict.
      this.#hold(await client.replace(LEASES, { metadata: lease.metadata, spec }, this.#requestOptions()), sentAtMs)
      return true
    } catch (error) {
      if (!isKubeError(error, 'Conflict')) throw error
      return false
    }
  }

  #hold(lease: Lease, renewedAtMs: number): void {
    const { clock, identity } = this.#options
    const before = this.#state
    if (before.name === 'over') return
    const remainingMs = renewedAtMs + this.#timing.renewDeadlineMs - clock.now()
    // The answer came so late that the term is over already; as a candidate it was none.
    if (remainingMs <= 0) return
    if (before.name === 'leader') clock.clearTimeout(before.timer)
    const timer = clock.setTimeout(() => {
      const reason = `lease ${refText(this.#options.lease)}: not renewed within ${this.#timing.renewDeadlineMs} ms`
      this.#lose(new KubeError('Timeout', reason))
    }, remainingMs)
    this.#state = { name: 'leader', lease, renewedAtMs, timer }
    this.#setHolder(identity)
    if (before.name === 'candidate') this.#options.acquired()
  }

  /** The next try reads the lease before it renews it. */
  #forgetLease(): void {
    if (this.#state.name === 'leader') this.#state = { ...this.#state, lease: undefined }
  }

  #lose(reason: KubeError): void {
    if (this.#state.name === 'over') return
    this.#end()
    this.#stopped.abort()
    this.#options.lost(reason)
  }

  #isOver(): boolean {
    return this.#state.name === 'over'
  }

  #end(): void {
    if (this.#state.name === 'leader') this.#options.clock.clearTimeout(this.#state.timer)
    this.#state = { name: 'over' }
  }

  async #release(known: Lease | undefined): Promise<void> {
    try {
      // A renewal whose answer was not waited for any more may have been taken: then what is known here is older.
      if (known !== undefined && (await this.#giveBack(known))) return
      const { client, lease: ref } = this.#options
      const lease = await client.find(LEASES, ref, { timeoutMs: REQUEST_TIMEOUT_MS })
      if (lease !== undefined) await this.#giveBack(lease)
    } catch (error) {
      // It runs out by itself.
      if (!isKubeError(error)) throw error
      this.#options.failing?.(error)
    }
  }

  /** False: somebody has written it since. */
  async #giveBack(lease: Lease): Promise<boolean> {
    const { client, clock, identity } = this.#options
    if (lease.spec?.holderIdentity !== identity) return true
    const spec = released(lease.spec, clock.wallNow())
    try {
      await client.replace(LEASES, { metadata: lease.metadata, spec }, { timeoutMs: REQUEST_TIMEOUT_MS })
    } catch (error) {
      if (!isKubeError(error, 'Conflict')) throw error
      return false
    }
    this.#setHolder(undefined)
    return true
  }

  #requestOptions(): { signal: AbortSignal; timeoutMs: number } {
    const state = this.#state
    const { clock } = this.#options
    const remainingMs =
      state.name === 'leader' ? state.renewedAtMs + this.#timing.renewDeadlineMs - clock.now() : REQUEST_TIMEOUT_MS
    const timeoutMs = Math.max(1, Math.min(remainingMs, REQUEST_TIMEOUT_MS))
    return { signal: this.#stopped.signal, timeoutMs }
  }

  #setHolder(identity: string | undefined): void {
    const holder = identity === '' ? undefined : identity
    if (holder === this.#holder) return
    this.#holder = holder
    this.#options.holderChanged?.(holder)
  }
}

function refText(ref: ObjectRef): string {
  return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`
}
