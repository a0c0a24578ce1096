/** One array with the octets of all parts; a single part is returned as it is. */
export function joinOctets(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const joined = new Uint8Array(totalOctets(parts))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

export function totalOctets(parts: readonly Uint8Array[]): number {
  let total = 0
  for (const part of parts) total += part.length
  return total
}
