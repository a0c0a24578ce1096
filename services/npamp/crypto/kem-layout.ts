import { KEM, type Kem } from '../codepoints/suites.ts'
import { MalformedError } from '../errors.ts'
import { concatOctets } from '../wire/octets.ts'

const X25519_OCTETS = 32

/** ML-KEM secret then X25519 secret (HS-026). */
export const KEM_SECRET_OCTETS = 64

/** Sizes of a hybrid KEM. The ML-KEM part comes first and the X25519 public key last, in both directions. */
export interface KemLayout {
  readonly encapsulationKeyOctets: number
  readonly mlkemCiphertextOctets: number
  readonly shareOctets: number
  readonly ciphertextOctets: number
}

/** HS-023, HS-024, HS-025. At 0x11ED share and ciphertext are equally long. */
export const KEM_LAYOUT: Readonly<Record<Kem, KemLayout>> = {
  [KEM.X25519MLKEM768]: layout(1184, 1088),
  [KEM.X25519MLKEM1024]: layout(1568, 1568),
}

function layout(encapsulationKeyOctets: number, mlkemCiphertextOctets: number): KemLayout {
  return {
    encapsulationKeyOctets,
    mlkemCiphertextOctets,
    shareOctets: encapsulationKeyOctets + X25519_OCTETS,
    ciphertextOctets: mlkemCiphertextOctets + X25519_OCTETS,
  }
}

export interface HybridParts {
  readonly mlkem: Uint8Array
  readonly x25519: Uint8Array
}

/** Views of a KEMShare's two parts. Throws MalformedError TLV_VALUE for a wrong length (HS-027). */
export function splitShare(kem: Kem, share: Uint8Array): HybridParts {
  return split('KEMShare', share, KEM_LAYOUT[kem].shareOctets)
}

/** Views of a KEMCiphertext's two parts. Throws MalformedError TLV_VALUE for a wrong length (HS-027). */
export function splitCiphertext(kem: Kem, ciphertext: Uint8Array): HybridParts {
  return split('KEMCiphertext', ciphertext, KEM_LAYOUT[kem].ciphertextOctets)
}

/** ML-KEM part first, for shares, ciphertexts and secrets alike. */
export function joinParts(mlkem: Uint8Array, x25519: Uint8Array): Uint8Array {
  return concatOctets([mlkem, x25519])
}

function split(name: string, octets: Uint8Array, wanted: number): HybridParts {
  if (octets.length !== wanted) {
    throw new MalformedError('TLV_VALUE', `${name} has ${octets.length} octets, not ${wanted}`)
  }
  const boundary = wanted - X25519_OCTETS
  return { mlkem: octets.subarray(0, boundary), x25519: octets.subarray(boundary) }
}
