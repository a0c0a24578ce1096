const RANDOM_OCTETS = 10
const POOL_IDS = 64

/** Mints UUIDv7 strings (RFC 9562): 48 bits of wall-clock milliseconds, then random bits. One per request, so it is cheap. */
export class RequestIds {
  readonly #wallClock: () => number
  readonly #random: (octets: number) => Uint8Array
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
    const time = this.#wallClock().toString(16).padStart(12, '0')
    const version = hex(0x70 | (this.#octet() & 0x0f)) + this.#hex(1)
    const variant = hex(0x80 | (this.#octet() & 0x3f)) + this.#hex(1)
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${this.#hex(6)}`
  }

  #hex(octets: number): string {
    let text = ''
    for (let count = 0; count < octets; count++) text += hex(this.#octet())
    return text
  }

  #octet(): number {
    return this.#pool[this.#used++] ?? 0
  }
}

const HEX = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, '0'))

function hex(octet: number): string {
  return HEX[octet] ?? ''
}
