import { expand, extract } from '@noble/hashes/hkdf.js'
import { hmac as hmacOnce } from '@noble/hashes/hmac.js'
import { sha256, sha384 } from '@noble/hashes/sha2.js'
import type { HashName } from '../../codepoints/profiles.ts'
import { checkExpandLength } from '../arguments.ts'

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

export function hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  checkExpandLength(name, length)
  return expand(HASH[name], prk, info, length)
}
