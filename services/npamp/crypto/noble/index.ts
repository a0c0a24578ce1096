import type { CryptoProvider } from '../provider.ts'

export interface NobleOptions {
  /** Source of every random octet, ML-KEM coins included: seeded, a whole handshake repeats octet for octet. */
  readonly random: (length: number) => Uint8Array
}

/** Pure JavaScript cryptography: fallback, oracle of the tests, and reproducible in simulations. */
export declare function nobleProvider(options: NobleOptions): CryptoProvider
