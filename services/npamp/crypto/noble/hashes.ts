import { extract } from '@noble/hashes/hkdf.js'
import { hmac as hmacOnce } from '@noble/hashes/hmac.js'
import { sha256, sha384 } from '@noble/hashes/sha2.js'
import type { HashName } from '../../codepoints/profiles.ts'
import { expandWith } from '../hkdf-expand.ts'

const HASH = { sha256, sha384 } as const

export function hash(name: HashName, data: Uint8Array): Uint8Array {
  return HASH[name](data)
}

export function hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmacOnce(HASH[name], key, data)
}

export function hkdfExtract(name: HashName, salt: Uint8Array, ikm: Uint8Array): Uint8Array {
  return extract(HASH[name], ikm, salt)
}

/** Not noble's own `expand`, which refuses keys shorter than HashLen that RFC 5869 only advises against. */
export function hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return expandWith((data) => hmacOnce(HASH[name], prk, data), name, info, length)
}
