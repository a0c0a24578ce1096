const RANDOM_OCTETS = 10
const POOL_IDS = 64

/** Mints UUIDv7 strings (RFC 9562): 48 bits of wall-clock milliseconds, then random bits. One per request, so it is cheap. */
export class RequestIds {
  readonly #wallClock: () => number
  readonly #random: (octets: number) => Uint8Array
  readonly #id = Buffer.alloc(16)
  #pool: Uint8Array = new Uint8Array(0)
  #used = 0

  constructor(wallClock: () => number, random: (octets: number) => Uint8Array) {
    this.#wallClock = wallClock
    this.#random = random
  }

  next(): string {
    if (this.#used + RANDOM_OCTETS > this.#pool.length) {
      this.#pool = this.#random(RANDOM_OCTETS * POOL_IDS)
      this.#used = 0
    }
    const id = this.#id
    id.writeUIntBE(this.#wallClock(), 0, 6)
    id.set(this.#pool.subarray(this.#used, this.#used + RANDOM_OCTETS), 6)
    this.#used += RANDOM_OCTETS
    id[6] = 0x70 | ((id[6] ?? 0) & 0x0f)
    id[8] = 0x80 | ((id[8] ?? 0) & 0x3f)
    const hex = id.toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}
