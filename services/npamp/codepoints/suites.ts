/** Code points of digest 01 section 12. They are N-PAMP's own and never map through a TLS library's tables. */

export const KEM = { X25519MLKEM768: 0x11ec, X25519MLKEM1024: 0x11ed } as const
export type Kem = (typeof KEM)[keyof typeof KEM]

export const AEAD = { AES_256_GCM: 0x0001, CHACHA20_POLY1305: 0x0002 } as const
export type AeadSuite = (typeof AEAD)[keyof typeof AEAD]

export const SIGNATURE = { ED25519: 0x0807, ML_DSA_87: 0x0905 } as const
export type SignatureScheme = (typeof SIGNATURE)[keyof typeof SIGNATURE]
