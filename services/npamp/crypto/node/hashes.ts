import { createHmac, hash as hashOnce } from 'node:crypto'
import type { HashName } from '../../codepoints/profiles.ts'
import { expandWith } from '../hkdf-expand.ts'
import { plain } from './octets.ts'

export function hash(name: HashName, data: Uint8Array): Uint8Array {
  return plain(hashOnce(name, data, 'buffer'))
}

export function hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createHmac(name, key).update(data).digest())
}

/** RFC 5869: one HMAC. node's own `hkdfSync` only does both steps at once. */
export function hkdfExtract(name: HashName, salt: Uint8Array, ikm: Uint8Array): Uint8Array {
  return hmac(name, salt, ikm)
}

export function hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return expandWith((data) => hmac(name, prk, data), name, info, length)
}
