import { SIGNATURE, type SignatureScheme } from '../codepoints/suites.ts'
import { PUBLIC_KEY_OCTETS } from '../discovery/public-key.ts'

export const SEED_OCTETS = 32

export interface SignatureLayout {
  readonly name: string
  readonly publicKeyOctets: number
  readonly signatureOctets: number
}

/** Raw RFC 8032 and FIPS 204 encodings (HS-052). */
export const SIGNATURE_LAYOUT: Readonly<Record<SignatureScheme, SignatureLayout>> = {
  [SIGNATURE.ED25519]: { name: 'Ed25519', publicKeyOctets: PUBLIC_KEY_OCTETS[SIGNATURE.ED25519], signatureOctets: 64 },
  [SIGNATURE.ML_DSA_87]: {
    name: 'ML-DSA-87',
    publicKeyOctets: PUBLIC_KEY_OCTETS[SIGNATURE.ML_DSA_87],
    signatureOctets: 4627,
  },
}
