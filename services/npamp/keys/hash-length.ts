import type { HashName } from '../codepoints/profiles.ts'

/** HashLen: 32 for SHA-256 (Standard), 48 for SHA-384 (High, Sovereign) (HS-017). */
export const HASH_LENGTH: Readonly<Record<HashName, 32 | 48>> = { sha256: 32, sha384: 48 }
