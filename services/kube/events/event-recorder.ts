import { type Clock, delay } from '../clock.ts'
import { microTime } from '../micro-time.ts'
import { type Controller, startController } from '../queue/controller.ts'
import { WorkQueue } from '../queue/work-queue.ts'
import type { KubeClient } from '../rest/client.ts'
import { isKubeError, isTransient } from '../rest/kube-error.ts'
import { EVENTS, type EventTarget, type KubeEvent, MAX_NOTE_CHARS, MAX_REASON_CHARS } from './event.ts'

export interface EventRecorderOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: () => number
  /** `mesh.causeway.dev/operator`. */
  readonly reportingController: string
  /** The pod. */
  readonly reportingInstance: string
  /** An event was not written: too many at a time, or the API server does not take it. */
  readonly dropped?: (event: EventInput, error: unknown) => void
}

export interface EventInput {
  readonly regarding: EventTarget
  readonly related?: EventTarget
  readonly type: 'Normal' | 'Warning'
  /** UpperCamelCase, for machines: `IdentityLost`. */
  readonly reason: string
  /** What was done or failed, UpperCamelCase: `Reconcile`. */
  readonly action: string
  readonly note: string
}

interface Entry {
  readonly input: EventInput
  /** By the wall clock, as the event says it. */
  readonly firstWallMs: number
  lastWallMs: number
  /** Monotonic. */
  lastMs: number
  count: number
  /** How many repeats the API server knows of. */
  writtenCount: number
  /** Namespace and name, once it is created. */
  ref: { readonly name: string; readonly namespace: string } | undefined
}

/** Repeats of one event are written as its series, at most so often. */
const SERIES_INTERVAL_MS = 60_000
/** After so long without a repeat, the same thing is a new event. */
const FORGET_AFTER_MS = 6 * 60_000
const MAX_ENTRIES = 1_024
const MAX_TRIES = 5
/** Between two writes, so that a thousand objects with the same trouble do not take the API server's time. */
const WRITE_INTERVAL_MS = 50

/** Writes events in the background. Repeats are counted in one Event; nothing waits for it and nothing fails with it. */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #queue: WorkQueue
  readonly #controller: Controller
  /** In the order of their last repeat. */
  readonly #entries = new Map<string, Entry>()

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#queue = new WorkQueue({ clock: options.clock, random: options.random })
    this.#controller = startController({
      queue: this.#queue,
      workers: 1,
      reconcile: (key, signal) => this.#write(key, signal),
      failed: () => {},
    })
  }

  record(input: EventInput): void {
    const { clock } = this.#options
    const [nowMs, wallMs] = [clock.now(), clock.wallNow()]
    const key = keyOfEvent(input)
    const known = this.#entries.get(key)
    this.#entries.delete(key)
    if (known !== undefined && nowMs - known.lastMs < FORGET_AFTER_MS) {
      known.count++
      known.lastMs = nowMs
      known.lastWallMs = wallMs
      this.#entries.set(key, known)
      if (known.ref !== undefined) this.#queue.addAfter(key, SERIES_INTERVAL_MS)
      return
    }
    if (!this.#makeRoom()) {
      this.#options.dropped?.(input, undefined)
      return
    }
    const times = { firstWallMs: wallMs, lastWallMs: wallMs, lastMs: nowMs }
    this.#entries.set(key, { input, ...times, count: 1, writtenCount: 0, ref: undefined })
    this.#queue.add(key)
  }

  /** Does not wait for what has not been written yet. */
  async stop(): Promise<void> {
    await this.#controller.stop()
  }

  async #write(key: string, signal: AbortSignal): Promise<undefined> {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.count === entry.writtenCount) return
    const { count } = entry
    try {
      await this.#send(entry, signal)
      entry.writtenCount = count
    } catch (error) {
      if (isTransient(error) && this.#queue.failuresOf(key) < MAX_TRIES) throw error
      this.#entries.delete(key)
      this.#options.dropped?.(entry.input, error)
      return
    }
    if (entry.count > count) this.#queue.addAfter(key, SERIES_INTERVAL_MS)
    await delay(this.#options.clock, WRITE_INTERVAL_MS, signal)
  }

  async #send(entry: Entry, signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    if (entry.ref !== undefined) {
      const patch = { kind: 'merge', patch: { series: seriesOf(entry) } } as const
      try {
        await client.patch(EVENTS, entry.ref, patch, { signal })
        return
      } catch (error) {
        // The API server keeps events for an hour; a new one takes its place.
        if (!isKubeError(error, 'NotFound')) throw error
      }
    }
    const created = await client.create(EVENTS, this.#eventOf(entry), { signal })
    entry.ref = { name: created.metadata.name, namespace: created.metadata.namespace ?? 'default' }
  }

  #eventOf(entry: Entry): KubeEvent {
    const { reportingController, reportingInstance, clock, random } = this.#options
    const { input } = entry
    const suffix = `${Math.floor(clock.wallNow()).toString(16)}${Math.floor(random() * 0x10000).toString(16)}`
    return {
      metadata: {
        name: `${input.regarding.name.slice(0, 200)}.${suffix}`,
        namespace: input.regarding.namespace ?? 'default',
      },
      eventTime: microTime(entry.firstWallMs),
      reportingController,
      reportingInstance: reportingInstance.slice(0, MAX_REASON_CHARS),
      action: input.action.slice(0, MAX_REASON_CHARS),
      reason: input.reason.slice(0, MAX_REASON_CHARS),
      regarding: input.regarding,
      ...(input.related === undefined ? {} : { related: input.related }),
      note: input.note.slice(0, MAX_NOTE_CHARS),
      type: input.type,
      ...(entry.count === 1 ? {} : { series: seriesOf(entry) }),
    }
  }

  /** Forgets what nobody has repeated for the longest time, unless it still has to be written. */
  #makeRoom(): boolean {
    if (this.#entries.size < MAX_ENTRIES) return true
    for (const [key, entry] of this.#entries) {
      if (entry.writtenCount < entry.count) continue
      this.#entries.delete(key)
      return true
    }
    return false
  }
}

function seriesOf({ count, lastWallMs }: Entry): { count: number; lastObservedTime: string } {
  return { count, lastObservedTime: microTime(lastWallMs) }
}

function keyOfEvent({ regarding, related, type, reason, action, note }: EventInput): string {
  return JSON.stringify([
    regarding.kind,
    regarding.namespace,
    regarding.name,
    regarding.uid,
    related?.kind,
    related?.namespace,
    related?.name,
    type,
    reason,
    action,
    note,
  ])
}
