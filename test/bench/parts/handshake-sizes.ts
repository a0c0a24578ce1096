/** What one Standard handshake with Ed25519 identities feeds its primitives, in octets. */
export const HANDSHAKE_SIZES = {
  HASH: 32,
  KEM_SECRET: 64,
  /** `u16 length || u8 || label || u8 || context` of digest 02 section 5; `times` counts both ends. */
  EXPAND_INFOS: [
    { info: 47, times: 4 }, // c_hs, s_hs
    { info: 31, times: 4 }, // traffic secrets of the AUTH frames
    { info: 14, times: 4 }, // their keys
    { info: 13, times: 4 }, // their IVs
    { info: 19, times: 4 }, // Finished keys
    { info: 49, times: 2 }, // master
  ],
  /** The transcript at its five points, and the tagged key of a PeerHandle. */
  HASHED: [2394, 2432, 2502, 2576, 2646, 34],
  SIGNED: 131,
  /** IdentityKey, CertVerify and Finished. */
  AUTH_PLAINTEXT: 142,
} as const
