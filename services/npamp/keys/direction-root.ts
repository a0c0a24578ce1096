import type { HashName } from '../codepoints/profiles.ts'
import type { AeadSuite } from '../codepoints/suites.ts'
import { KEM_SECRET_OCTETS } from '../crypto/kem-layout.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { MisuseError } from '../errors.ts'
import { encodeU64 } from '../wire/u64.ts'
import { hkdfExpandLabel } from './expand-label.ts'
import { HASH_LENGTH } from './hash-length.ts'
import { LABEL } from './labels.ts'
import { Secret } from './secret.ts'
import { type Direction, TrafficKeys } from './traffic.ts'

interface Lineage {
  readonly generation: bigint
  readonly healedGeneration: bigint | undefined
}

/**
 * Last stage: the parent of every application key of one direction. My send root equals your receive root, and each
 * moves alone. A ratchet step consumes the root: the old one is wiped and the next one is returned; the caller then drops
 * and wipes every channel key of that direction, whose channels start again at epoch 0 and sequence 0 (REC-025, REC-028).
 */
export class DirectionRoot {
  readonly direction: Direction
  readonly generation: bigint
  /**
   * The last generation whose root mixed in a fresh KEM secret, if any. Only this may be reported as post-compromise
   * security: Tier 1 steps give forward secrecy and leave it as it was (REC-029).
   */
  readonly healedGeneration: bigint | undefined
  readonly #provider: CryptoProvider
  readonly #hash: HashName
  readonly #secret: Secret

  /** Takes ownership of `octets` (HashLen). */
  constructor(
    provider: CryptoProvider,
    hash: HashName,
    direction: Direction,
    octets: Uint8Array,
    lineage: Lineage = { generation: 0n, healedGeneration: undefined },
  ) {
    if (octets.length !== HASH_LENGTH[hash]) throw new MisuseError('ARGUMENT', 'a root has HashLen octets')
    this.direction = direction
    this.generation = lineage.generation
    this.healedGeneration = lineage.healedGeneration
    this.#provider = provider
    this.#hash = hash
    this.#secret = new Secret(octets)
  }

  /** Keys of one channel in one epoch and suite. The generation acts through the root only (REC-035). */
  trafficKeys(epoch: bigint, suite: AeadSuite, channel: number): TrafficKeys {
    const context = { direction: this.direction, epoch, suite, channel }
    return new TrafficKeys(this.#provider, this.#hash, this.#secret.octets, context)
  }

  /** Tier 1: `XL(root, "master ratchet", u64(G + 1), HashLen)` (REC-024). */
  ratchet(): DirectionRoot {
    const generation = this.generation + 1n
    const context = encodeU64(generation)
    const next = this.#expand(this.#secret.octets, LABEL.MASTER_RATCHET, context)
    this.wipe()
    return this.#successor(next, { generation, healedGeneration: this.healedGeneration })
  }

  /**
   * Tier 2: Extract with the OLD root as salt and the fresh secret as input, then `XL(., "master ratchet rekem", TH_rekem)`
   * (REC-026). Wipes the old root, the intermediate secret and `kemSecret` (REC-027); the ephemeral private keys are the
   * KemKeyPair's, whose owner wipes them.
   *
   * @param kemSecret 64 octets, ML-KEM secret then X25519 secret.
   * @param thRekem `rekemTranscriptHash` of both frames.
   */
  rekem(kemSecret: Uint8Array, thRekem: Uint8Array): DirectionRoot {
    if (kemSecret.length !== KEM_SECRET_OCTETS) throw new MisuseError('ARGUMENT', 'a KEM secret has 64 octets')
    const generation = this.generation + 1n
    const intermediate = this.#provider.hkdfExtract(this.#hash, this.#secret.octets, kemSecret)
    const next = this.#expand(intermediate, LABEL.MASTER_RATCHET_REKEM, thRekem)
    intermediate.fill(0)
    kemSecret.fill(0)
    this.wipe()
    return this.#successor(next, { generation, healedGeneration: generation })
  }

  /** A view for vectors; ClosedError WIPED after `wipe` or a step. */
  get octets(): Uint8Array {
    return this.#secret.octets
  }

  get wiped(): boolean {
    return this.#secret.wiped
  }

  wipe(): void {
    this.#secret.wipe()
  }

  #expand(secret: Uint8Array, label: string, context: Uint8Array): Uint8Array {
    return hkdfExpandLabel(this.#provider, this.#hash, secret, label, context, HASH_LENGTH[this.#hash])
  }

  #successor(octets: Uint8Array, lineage: Lineage): DirectionRoot {
    return new DirectionRoot(this.#provider, this.#hash, this.direction, octets, lineage)
  }
}
