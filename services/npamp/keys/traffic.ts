import type { HashName } from '../codepoints/profiles.ts'
import type { AeadSuite } from '../codepoints/suites.ts'
import type { AeadKey, CryptoProvider } from '../crypto/provider.ts'
import { ClosedError } from '../errors.ts'
import { hkdfExpandLabel } from './expand-label.ts'
import { HASH_LENGTH } from './hash-length.ts'
import { LABEL } from './labels.ts'
import { IV_OCTETS, Iv } from './nonce.ts'

const KEY_OCTETS = 32

const TRAFFIC_CONTEXT_OCTETS = 13
const NO_CONTEXT = new Uint8Array(0)

export const DIRECTION = { CLIENT_TO_SERVER: 0, SERVER_TO_CLIENT: 1 } as const
export type Direction = (typeof DIRECTION)[keyof typeof DIRECTION]

/** What one traffic secret is for: never shared between two of these (REC-001, REC-019). */
export interface TrafficContext {
  readonly direction: Direction
  readonly epoch: bigint
  readonly suite: AeadSuite
  readonly channel: number
}

/** 32-octet key and 12-octet IV; both belong to the caller, who wipes them (REC-003). */
export interface TrafficMaterial {
  readonly key: Uint8Array
  readonly iv: Uint8Array
}

/** `u8 direction || u64 epoch || u16 suite || u16 channel` (REC-002). The generation is not in it (REC-035). */
export function trafficContextOctets(context: TrafficContext): Uint8Array {
  const octets = new Uint8Array(TRAFFIC_CONTEXT_OCTETS)
  const view = new DataView(octets.buffer)
  view.setUint8(0, context.direction)
  view.setBigUint64(1, context.epoch)
  view.setUint16(9, context.suite)
  view.setUint16(11, context.channel)
  return octets
}

/**
 * Key and IV under a parent secret: c_hs or s_hs for the AUTH frames, a direction root for application frames. The
 * traffic secret in between is wiped before this returns (digest 03 section 1).
 */
export function deriveTrafficMaterial(
  provider: CryptoProvider,
  hash: HashName,
  parent: Uint8Array,
  context: TrafficContext,
): TrafficMaterial {
  const traffic = hkdfExpandLabel(
    provider,
    hash,
    parent,
    LABEL.TRAFFIC,
    trafficContextOctets(context),
    HASH_LENGTH[hash],
  )
  try {
    return {
      key: hkdfExpandLabel(provider, hash, traffic, LABEL.KEY, NO_CONTEXT, KEY_OCTETS),
      iv: hkdfExpandLabel(provider, hash, traffic, LABEL.IV, NO_CONTEXT, IV_OCTETS),
    }
  } finally {
    traffic.fill(0)
  }
}

/**
 * The keys of one traffic context, ready to seal and open. The nonce is made here from the sequence number, so that no
 * caller can pair a number with a wrong nonce; choosing each number once is the caller's duty (REC-010).
 */
export class TrafficKeys {
  readonly suite: AeadSuite
  readonly #aead: AeadKey
  readonly #iv: Iv
  readonly #nonce: Uint8Array
  #wiped = false

  constructor(provider: CryptoProvider, hash: HashName, parent: Uint8Array, context: TrafficContext) {
    const { key, iv } = deriveTrafficMaterial(provider, hash, parent, context)
    this.suite = context.suite
    this.#iv = new Iv(iv)
    this.#nonce = provider.scratch.nonce
    this.#aead = provider.aead(context.suite, key)
    key.fill(0)
    iv.fill(0)
  }

  /**
   * @param aad the first 21 octets of the frame as they go out, whose length field counts the tag.
   * @returns pieces whose concatenation is ciphertext || 16-octet tag.
   * @throws ClosedError WIPED.
   */
  seal(sequence: bigint, aad: Uint8Array, plaintext: readonly Uint8Array[]): Uint8Array[] {
    return this.#aead.seal(this.#nonceFor(sequence), aad, plaintext)
  }

  /**
   * @param aad the first 21 octets of the frame as they came in, never rebuilt.
   * @param sealed pieces whose concatenation is ciphertext || tag.
   * @returns the plaintext in an array of its own, or undefined when the tag does not verify.
   * @throws ClosedError WIPED.
   */
  open(sequence: bigint, aad: Uint8Array, sealed: readonly Uint8Array[]): Uint8Array | undefined {
    return this.#aead.open(this.#nonceFor(sequence), aad, sealed)
  }

  wipe(): void {
    this.#wiped = true
    this.#aead.wipe()
    this.#iv.wipe()
    this.#nonce.fill(0)
  }

  #nonceFor(sequence: bigint): Uint8Array {
    if (this.#wiped) throw new ClosedError('WIPED', 'these traffic keys were wiped')
    return this.#iv.nonce(sequence, this.#nonce)
  }
}
