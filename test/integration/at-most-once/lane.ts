import { afterAll } from 'vitest'
import { Crowd } from './crowd.ts'
import { orStop } from './or-stop.ts'
import { type Stand, type StandOptions, startStand } from './stand.ts'

/** Long enough to wait for all the tests before it in its lane. */
export const LANE_TIMEOUT = { timeout: 120_000 }

/**
 * Concurrent tests that share something: those of one lane run one after the other, in the order in which they stand,
 * beside those of other lanes. What they share is started by the first one and stopped after the last.
 */
export class Lane<Shared> {
  readonly #start: () => Promise<Shared>
  #shared: Promise<Shared> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(start: () => Promise<Shared>, stop: (shared: Shared) => Promise<unknown>) {
    this.#start = start
    afterAll(async () => {
      // What could not be started is the failure of the test that wanted it.
      await this.#shared?.then(stop, () => {})
    })
  }

  /** The test function to give to `it`. */
  test(run: (shared: Shared) => Promise<void>): () => Promise<void> {
    return () => {
      const mine = this.#last.then(async () => {
        this.#shared ??= this.#start()
        await run(await this.#shared)
      })
      this.#last = mine.catch(() => {})
      return mine
    }
  }
}

export interface CrowdedStand {
  readonly stand: Stand
  readonly crowd: Crowd
}

/** A lane of tests that share one stand and its crowd. */
export function standLane(options: StandOptions = {}): Lane<CrowdedStand> {
  return new Lane(
    async () => orStop(await startStand(options), async (stand) => ({ stand, crowd: await Crowd.at(stand) })),
    async ({ stand, crowd }) => {
      await crowd.close()
      await stand.stop()
    },
  )
}
