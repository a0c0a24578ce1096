import type { HashName } from '../codepoints/profiles.ts'
import { LimitError } from '../errors.ts'
import { HASH_LENGTH } from '../keys/hash-length.ts'

const MAX_BLOCKS = 255

/**
 * HKDF-Expand of RFC 5869 section 2.3 over a provider's HMAC: block(i) = MAC(block(i-1) || info || i).
 *
 * @param mac HMAC under the pseudorandom key; called before its argument changes. Its result is taken over, and wiped or
 *   returned.
 * @throws LimitError LENGTH when length > 255 * HashLen.
 */
export function expandWith(
  mac: (data: Uint8Array) => Uint8Array,
  name: HashName,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const blockOctets = HASH_LENGTH[name]
  const limit = MAX_BLOCKS * blockOctets
  if (!Number.isInteger(length) || length < 0 || length > limit) {
    throw new LimitError('LENGTH', `HKDF-Expand gives at most ${limit} octets, not ${length}`)
  }
  if (length <= blockOctets) return firstBlock(mac, info, length)
  const output = new Uint8Array(length)
  const input = new Uint8Array(blockOctets + info.length + 1)
  input.set(info, blockOctets)
  for (let counter = 1, at = 0; at < length; counter++, at += blockOctets) {
    input[input.length - 1] = counter
    const block = mac(counter === 1 ? input.subarray(blockOctets) : input)
    output.set(at + blockOctets <= length ? block : block.subarray(0, length - at), at)
    input.set(block)
    block.fill(0)
  }
  input.fill(0)
  return output
}

/** The whole of it for any key, IV or secret here: one MAC, and nothing secret in its input. */
function firstBlock(mac: (data: Uint8Array) => Uint8Array, info: Uint8Array, length: number): Uint8Array {
  const input = new Uint8Array(info.length + 1)
  input.set(info)
  input[info.length] = 1
  const block = mac(input)
  if (length === block.length) return block
  const output = block.slice(0, length)
  block.fill(0)
  return output
}
