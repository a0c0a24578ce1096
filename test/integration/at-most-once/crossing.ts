import { expect } from 'vitest'
import type { Caller, RunArguments } from './caller.ts'
import type { Ending } from './ending.ts'
import { eventually, inTime } from './in-time.ts'
import { Lane } from './lane.ts'
import type { Way } from './link.ts'
import { numbersOf } from './metrics-of.ts'
import { orStop } from './or-stop.ts'
import { RawCaller } from './raw-caller.ts'
import { type Stand, startStand } from './stand.ts'

export type Era = Caller['era']
export const ERAS = ['legacy', 'modern'] as const

/** One plain client of each era and the link that its calls cross, to the octet. */
export class Crossing {
  readonly stand: Stand
  readonly #callers: Readonly<Record<Era, RawCaller>>
  #keys = 0

  static lane(): Lane<Crossing> {
    return new Lane(
      () => Crossing.#start(),
      (crossing) => crossing.#stop(),
    )
  }

  static async #start(): Promise<Crossing> {
    return orStop(await startStand(), async (stand) => {
      const legacy = await RawCaller.connect('legacy', stand.url)
      return new Crossing(stand, { legacy, modern: await RawCaller.connect('modern', stand.url) })
    })
  }

  private constructor(stand: Stand, callers: Readonly<Record<Era, RawCaller>>) {
    this.stand = stand
    this.#callers = callers
  }

  /** Of one length, so that calls have one size. */
  newKey(): string {
    return `key-${String(++this.#keys).padStart(6, '0')}`
  }

  run(era: Era, key: string, args: Partial<RunArguments> = {}): Promise<Ending> {
    return inTime(this.#callers[era].run({ ...args, key }), key)
  }

  /** The link is whole, an association is there, and all that a session needs has crossed. */
  async warmUp(era: Era): Promise<void> {
    this.stand.link.release()
    await this.#callers[era].reconnect()
    const key = this.newKey()
    expect(await this.run(era, key)).toEqual({ how: 'answer', text: `ran ${key}` })
  }

  /** Resolves when relay `edge` knows that it has lost its association. */
  async associationLost(): Promise<void> {
    await eventually('edge knows', async () => {
      return (await numbersOf(this.stand.mesh.edge)).sum('causeway_associations_open') === 0
    })
  }

  /** How many octets this takes on the link. */
  async measured(act: () => Promise<unknown>): Promise<Record<Way, number>> {
    const { link } = this.stand
    const before = { toTools: link.passed('toTools'), toEdge: link.passed('toEdge') }
    await act()
    return { toTools: link.passed('toTools') - before.toTools, toEdge: link.passed('toEdge') - before.toEdge }
  }

  async #stop(): Promise<void> {
    for (const caller of Object.values(this.#callers)) await caller.close()
    await this.stand.stop()
  }
}
