import type { Caller, RunArguments } from './caller.ts'
import { callersOf } from './callers.ts'
import type { Ending } from './ending.ts'
import { inTime } from './in-time.ts'
import type { Stand } from './stand.ts'

/** One call by every caller, all at the same time. */
export interface Calls {
  readonly keys: readonly string[]
  /** By the names of the callers; rejects when one of them does not end. */
  readonly endings: Promise<Readonly<Record<string, Ending>>>
}

/** Clients of both generations and both eras at one stand, which do everything together. */
export class Crowd {
  readonly callers: readonly Caller[]
  readonly #stand: Stand

  static async at(stand: Stand): Promise<Crowd> {
    return new Crowd(stand, await callersOf(stand.url))
  }

  private constructor(stand: Stand, callers: readonly Caller[]) {
    this.#stand = stand
    this.callers = callers
  }

  call(label: string, args: Partial<RunArguments> = {}, withinMs?: number): Calls {
    const calls = this.callers.map((caller) => ({ caller, key: `${label}, ${caller.name}` }))
    const all = calls.map(async ({ caller, key }) => [caller.name, await caller.run({ ...args, key })] as const)
    const endings = inTime(Promise.all(all), label, withinMs).then(Object.fromEntries)
    endings.catch(() => {}) // A test that failed before it asks has failed already.
    return { keys: calls.map(({ key }) => key), endings }
  }

  /** This for every caller. */
  everybody(value: unknown): Readonly<Record<string, unknown>> {
    return this.byEra(value, value)
  }

  byEra(legacy: unknown, modern: unknown): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.callers.map(({ name, era }) => [name, era === 'legacy' ? legacy : modern]))
  }

  /** HTTP status of the callers that see it, by era; answers have none here. */
  statuses(endings: Readonly<Record<string, Ending>>): Readonly<Record<string, number | undefined>> {
    const seen = this.callers.filter(({ name }) => name.endsWith('HTTP'))
    return Object.fromEntries(
      seen.map(({ name, era }) => {
        const ending = endings[name]
        return [era, ending?.how === 'error' ? ending.status : undefined]
      }),
    )
  }

  /** How often each call ran, without repetition: `[1]` when each ran once. */
  timesRun({ keys }: Calls): number[] {
    return [...new Set(keys.map((key) => this.#stand.ran(key)))]
  }

  /** Resolves when every call stands at its hold at the backend. */
  async atHold({ keys }: Calls): Promise<void> {
    const all = keys.map((key) => this.#stand.backend.command('reached', key))
    await inTime(Promise.all(all), 'calls at their hold')
  }

  /** Lets calls go that stand at a hold at the backend, whoever waits for them. */
  async release({ keys }: Calls): Promise<void> {
    for (const key of keys) await this.#stand.backend.command('release', key)
  }

  async reconnect(): Promise<void> {
    await Promise.all(this.callers.map((caller) => caller.reconnect()))
  }

  async close(): Promise<void> {
    await Promise.all(this.callers.map((caller) => caller.close()))
  }
}
