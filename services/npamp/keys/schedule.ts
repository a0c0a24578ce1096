import { CHANNEL } from '../codepoints/channels.ts'
import type { HashName } from '../codepoints/profiles.ts'
import type { AeadSuite } from '../codepoints/suites.ts'
import { KEM_SECRET_OCTETS } from '../crypto/kem-layout.ts'
import type { CryptoProvider } from '../crypto/provider.ts'
import { MisuseError } from '../errors.ts'
import { DirectionRoot } from './direction-root.ts'
import { hkdfExpandLabel } from './expand-label.ts'
import { HASH_LENGTH } from './hash-length.ts'
import { LABEL } from './labels.ts'
import { Secret } from './secret.ts'
import { DIRECTION, type Direction, TrafficKeys } from './traffic.ts'

const AUTH_EPOCH = 0n
const NO_CONTEXT = new Uint8Array(0)

/** First stage: what both ends have after the two HELLOs. */
export class HandshakeSecret {
  readonly #provider: CryptoProvider
  readonly #hash: HashName
  readonly #secret: Secret

  /**
   * HKDF-Extract with HashLen zero octets as salt (HS-037).
   *
   * @param kemSecret ML-KEM secret then X25519 secret, 64 octets, fed raw (HS-026). Stays the caller's, who wipes it.
   */
  constructor(provider: CryptoProvider, hash: HashName, kemSecret: Uint8Array) {
    if (kemSecret.length !== KEM_SECRET_OCTETS) throw new MisuseError('ARGUMENT', 'a KEM secret has 64 octets')
    this.#provider = provider
    this.#hash = hash
    this.#secret = new Secret(provider.hkdfExtract(hash, new Uint8Array(HASH_LENGTH[hash]), kemSecret))
  }

  /** c_hs or s_hs, both under TH_kem (HS-038). */
  traffic(direction: Direction, thKem: Uint8Array): HandshakeTraffic {
    const label = direction === DIRECTION.CLIENT_TO_SERVER ? LABEL.CLIENT_HANDSHAKE : LABEL.SERVER_HANDSHAKE
    return new HandshakeTraffic(this.#provider, this.#hash, direction, this.#expand(label, thKem))
  }

  /** Only at the client-auth boundary: `thCcv` includes the client's CertVerify (HS-039). */
  master(thCcv: Uint8Array): MasterSecret {
    return new MasterSecret(this.#provider, this.#hash, this.#expand(LABEL.MASTER, thCcv))
  }

  /** A view for vectors; ClosedError WIPED after `wipe`. */
  get octets(): Uint8Array {
    return this.#secret.octets
  }

  wipe(): void {
    this.#secret.wipe()
  }

  #expand(label: string, context: Uint8Array): Uint8Array {
    return hkdfExpandLabel(this.#provider, this.#hash, this.#secret.octets, label, context, HASH_LENGTH[this.#hash])
  }
}

/** Second stage: c_hs or s_hs. Protects that sender's AUTH frame and keys its Finished. */
export class HandshakeTraffic {
  readonly direction: Direction
  readonly #provider: CryptoProvider
  readonly #hash: HashName
  readonly #secret: Secret

  /** Takes ownership of `octets` (HashLen). */
  constructor(provider: CryptoProvider, hash: HashName, direction: Direction, octets: Uint8Array) {
    this.direction = direction
    this.#provider = provider
    this.#hash = hash
    this.#secret = new Secret(octets)
  }

  /** Keys of the AUTH frame: epoch 0, Control channel, the selected AEAD (HS-050). */
  authKeys(suite: AeadSuite): TrafficKeys {
    return new TrafficKeys(this.#provider, this.#hash, this.#secret.octets, {
      direction: this.direction,
      epoch: AUTH_EPOCH,
      suite,
      channel: CHANNEL.CONTROL,
    })
  }

  /** Key of this sender's Finished; the caller wipes it (HS-046). */
  finishedKey(): Uint8Array {
    const length = HASH_LENGTH[this.#hash]
    return hkdfExpandLabel(this.#provider, this.#hash, this.#secret.octets, LABEL.FINISHED, NO_CONTEXT, length)
  }

  get octets(): Uint8Array {
    return this.#secret.octets
  }

  wipe(): void {
    this.#secret.wipe()
  }
}

/** Third stage: what an established association starts from. Never re-derived but by a fresh handshake (REC-022). */
export class MasterSecret {
  readonly hash: HashName
  readonly #provider: CryptoProvider
  readonly #secret: Secret

  /** Takes ownership of `octets` (HashLen). */
  constructor(provider: CryptoProvider, hash: HashName, octets: Uint8Array) {
    if (octets.length !== HASH_LENGTH[hash]) throw new MisuseError('ARGUMENT', 'a master secret has HashLen octets')
    this.hash = hash
    this.#provider = provider
    this.#secret = new Secret(octets)
  }

  /** Root of one direction at generation 0: a copy of master, so keys equal the plain schedule's (REC-023). */
  directionRoot(direction: Direction): DirectionRoot {
    return new DirectionRoot(this.#provider, this.hash, direction, new Uint8Array(this.#secret.octets))
  }

  get octets(): Uint8Array {
    return this.#secret.octets
  }

  wipe(): void {
    this.#secret.wipe()
  }
}
