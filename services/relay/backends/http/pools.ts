import type { Pool } from 'undici'
import type { HttpBackendOptions } from './contract.ts'
import { openPool } from './pool.ts'

type PoolOptions = Pick<HttpBackendOptions, 'url' | 'limits' | 'ca'>
type Limits = PoolOptions['limits']

/**
 * The connections to one backend. A pool has its limits from its start: after a change of them new requests go to another
 * pool, and the old one closes with the last request that is open on it.
 */
export class HttpPools {
  readonly #options: Omit<PoolOptions, 'limits'>
  #limits: Limits
  #newest: Pool | undefined
  readonly #leaving = new Set<Pool>()

  constructor(options: PoolOptions) {
    this.#options = options
    this.#limits = options.limits
  }

  /** Made when it is first needed: most backends of a large mesh wait for their first call. */
  get newest(): Pool {
    this.#newest ??= openPool({ ...this.#options, limits: this.#limits })
    return this.#newest
  }

  update(limits: Limits): void {
    const same = OF_POOLS.every((name) => limits[name] === this.#limits[name])
    this.#limits = limits
    if (same) return
    const left = this.#newest
    this.#newest = undefined
    if (left === undefined) return
    this.#leaving.add(left)
    const gone = (): void => void this.#leaving.delete(left)
    left.close().then(gone, gone)
  }

  /** Breaks off what is open. */
  async destroy(): Promise<void> {
    await Promise.all([this.#newest, ...this.#leaving].map((pool) => pool?.destroy()))
  }
}

const OF_POOLS = ['connectTimeoutMs', 'firstHeaderTimeoutMs', 'maxHeaderOctets'] as const
