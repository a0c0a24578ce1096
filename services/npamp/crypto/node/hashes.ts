import { createHmac, hash as hashOnce } from 'node:crypto'
import type { HashName } from '../../codepoints/profiles.ts'
import { HASH_LENGTH } from '../../keys/hash-length.ts'
import { checkExpandLength } from '../arguments.ts'
import { plain } from './octets.ts'

export function hash(name: HashName, data: Uint8Array): Uint8Array {
  return plain(hashOnce(name, data, 'buffer'))
}

export function hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createHmac(name, key).update(data).digest())
}

/** RFC 5869. Extract is one HMAC; node's own `hkdfSync` only does both steps at once. */
export function hkdfExtract(name: HashName, salt: Uint8Array, ikm: Uint8Array): Uint8Array {
  return hmac(name, salt, ikm)
}

export function hkdfExpand(name: HashName, prk: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  checkExpandLength(name, length)
  const output = new Uint8Array(length)
  const blockOctets = HASH_LENGTH[name]
  const tail = new Uint8Array(info.length + 1)
  tail.set(info)
  let block: Uint8Array | undefined
  for (let counter = 1, offset = 0; offset < length; counter++, offset += blockOctets) {
    tail[info.length] = counter
    const mac = createHmac(name, prk)
    if (block !== undefined) mac.update(block)
    const digest = mac.update(tail).digest()
    block?.fill(0)
    block = digest
    output.set(offset + blockOctets <= length ? block : block.subarray(0, length - offset), offset)
  }
  block?.fill(0)
  return output
}
