import type { ProfileCode } from '../codepoints/profiles.ts'
import type { AeadSuite, Kem, SignatureScheme } from '../codepoints/suites.ts'
import type { MasterSecret } from '../keys/schedule.ts'

/** What a handshake yields: both ends are authenticated and hold the same master secret. */
export interface Established {
  readonly profile: ProfileCode
  readonly kem: Kem
  readonly signature: SignatureScheme
  /** The selected, primary suite. */
  readonly aead: AeadSuite
  /** Belongs to the receiver of this object, who wipes it. */
  readonly master: MasterSecret
  /** Raw public key from the peer's IdentityKey. */
  readonly peerKey: Uint8Array
  /** PeerHandle of `peerKey`. */
  readonly peerHandle: string
  /** TH_cCV, HashLen octets: equal on both ends, input of the association id. */
  readonly thCcv: Uint8Array
}
