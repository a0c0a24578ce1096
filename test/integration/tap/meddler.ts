import { expect } from 'vitest'
import type { Ending } from '../at-most-once/ending.ts'
import { inTime } from '../at-most-once/in-time.ts'
import { Lane } from '../at-most-once/lane.ts'
import { type Numbers, numbersOf } from '../at-most-once/metrics-of.ts'
import { orStop } from '../at-most-once/or-stop.ts'
import { RawCaller } from '../at-most-once/raw-caller.ts'
import { BRIDGE, type CONTROL, type WireFrame } from './frames.ts'
import { type MeshWithTap, startMeshWithTap } from './mesh-with-tap.ts'
import type { Way } from './tap.ts'

const UNKNOWN = { how: 'error', code: -33110, name: 'NotDelivered', delivery: 'unknown' }

/** A tap that changes what goes one way, and a client that lives with it. */
export class Meddler {
  readonly #way: Way
  readonly #tapped: MeshWithTap
  readonly #caller: RawCaller
  #keys = 0

  static lane(way: Way): Lane<Meddler> {
    return new Lane(
      () => Meddler.#start(way),
      (meddler) => meddler.#stop(),
    )
  }

  static async #start(way: Way): Promise<Meddler> {
    return orStop(await startMeshWithTap('pinned'), async (tapped) => {
      return new Meddler(way, tapped, await RawCaller.connect('modern', tapped.url))
    })
  }

  private constructor(way: Way, tapped: MeshWithTap, caller: RawCaller) {
    this.#way = way
    this.#tapped = tapped
    this.#caller = caller
  }

  newKey(): string {
    return `key ${++this.#keys}`
  }

  run(key: string): Promise<Ending> {
    return inTime(this.#caller.run({ key }), key)
  }

  async expectAnswered(): Promise<void> {
    const key = this.newKey()
    expect(await this.run(key)).toEqual({ how: 'answer', text: `ran ${key}` })
    expect(this.#tapped.ran(key)).toBe(1)
  }

  /** An error that leaves open whether it ran: it did where the answer was changed, and never where the request was. */
  expectNoAnswer(key: string, ending: Ending): void {
    expect(ending, key).toMatchObject(UNKNOWN)
    expect(this.#tapped.ran(key), key).toBe(this.#way === 'toTools' ? 0 : 1)
  }

  /** Passes on something else than the next Bridge frame of its way, and everything else as it is. */
  onNext(meddle: (octets: Buffer, frame: WireFrame) => readonly Buffer[]): void {
    let done = false
    this.#tapped.tap.meddle = (frame, way) => {
      if (done || way !== this.#way || frame.channel !== BRIDGE) return undefined
      done = true
      return meddle(Buffer.from(frame.octets), frame)
    }
  }

  /** Of the frames that have passed its way. */
  lastOn(channel: typeof BRIDGE | typeof CONTROL): WireFrame {
    const frame = this.#tapped.tap.frames[this.#way].findLast((one) => one.channel === channel)
    if (frame === undefined) throw new Error('no such frame has passed')
    return frame
  }

  /** Associations that ended for this reason at whoever receives what goes its way; without one: all. */
  async closed(reason?: string): Promise<number> {
    return (await this.#receiver()).sum('causeway_associations_closed_total', reason === undefined ? {} : { reason })
  }

  async dropped(reason: string): Promise<number> {
    return (await this.#receiver()).sum('causeway_frames_dropped_total', { reason })
  }

  #receiver(): Promise<Numbers> {
    const { edge, tools } = this.#tapped.mesh
    return numbersOf(this.#way === 'toTools' ? tools : edge)
  }

  async #stop(): Promise<void> {
    await this.#caller.close()
    await this.#tapped.stop()
  }
}
