import type { HashName } from '../codepoints/profiles.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { encodeTlvs } from '../wire/tlv.ts'

const INITIAL_CAPACITY_OCTETS = 4096

/**
 * The running octets that both ends sign and MAC: per frame its type, then its TLVs as they stood on the wire (HS-030,
 * HS-055). Nothing else of a frame enters: no other header octet, no tag, no ciphertext (HS-031). The hash is known only
 * after SERVER_HELLO, so octets are kept and hashed at each point.
 */
export class Transcript {
  #octets = new Uint8Array(INITIAL_CAPACITY_OCTETS)
  #length = 0

  absorbFrameType(type: number): void {
    this.#absorb(Uint8Array.of(type >>> 8, type & 0xff))
  }

  /** A TLV list exactly as it was sent or received. */
  absorbTlvs(octets: Uint8Array): void {
    this.#absorb(octets)
  }

  absorbTlv(type: number, value: Uint8Array): void {
    this.#absorb(encodeTlvs([{ type, value }]))
  }

  /** The hash of everything absorbed so far. */
  point(provider: CryptoProvider, hash: HashName): Uint8Array {
    return provider.hash(hash, this.#octets.subarray(0, this.#length))
  }

  /** Not secret, but it names the identities, which cross the wire sealed. */
  wipe(): void {
    this.#octets.fill(0, 0, this.#length)
    this.#length = 0
  }

  #absorb(octets: Uint8Array): void {
    const end = this.#length + octets.length
    if (end > this.#octets.length) this.#grow(end)
    this.#octets.set(octets, this.#length)
    this.#length = end
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.#octets.length))
    larger.set(this.#octets.subarray(0, this.#length))
    this.#octets.fill(0, 0, this.#length)
    this.#octets = larger
  }
}
