import { isIPv6 } from 'node:net'

export interface HalfOpenLimits {
  /** Connections whose owner has not said `settled` yet. */
  readonly maxHalfOpen: number
  /** The same from one source: an IPv4 address or an IPv6 /64. */
  readonly maxHalfOpenPerSource: number
}

/** CARRIAGE section 12. */
export const DEFAULT_HALF_OPEN_LIMITS: HalfOpenLimits = { maxHalfOpen: 256, maxHalfOpenPerSource: 16 }

/** Counts connections between TCP accept and the end of their N-PAMP handshake. */
export class HalfOpenCounter {
  #limits: HalfOpenLimits
  readonly #bySource = new Map<string, number>()
  #total = 0

  constructor(limits: HalfOpenLimits) {
    this.#limits = limits
  }

  /** What is open beyond lower limits stays. */
  setLimits(limits: HalfOpenLimits): void {
    this.#limits = limits
  }

  get total(): number {
    return this.#total
  }

  /** A release that may be called any number of times; undefined when a limit is reached. */
  admit(address: string): (() => void) | undefined {
    const source = sourceOf(address)
    const count = this.#bySource.get(source) ?? 0
    if (this.#total >= this.#limits.maxHalfOpen || count >= this.#limits.maxHalfOpenPerSource) return undefined
    this.#total += 1
    this.#bySource.set(source, count + 1)
    let held = true
    return () => {
      if (held) this.#release(source)
      held = false
    }
  }

  #release(source: string): void {
    this.#total -= 1
    const count = (this.#bySource.get(source) ?? 1) - 1
    if (count === 0) this.#bySource.delete(source)
    else this.#bySource.set(source, count)
  }
}

/** Who counts as one source: whoever holds an IPv6 /64 holds every address in it. */
export function sourceOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeroes = tail === undefined ? 0 : 8 - groups.length - after.length
  const all = [...groups, ...Array<string>(Math.max(zeroes, 0)).fill('0'), ...after]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`
}
