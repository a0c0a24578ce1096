/** Bytewise order, a prefix before what continues it: negative, 0 or positive. Not constant time. */
export function compareOctets(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] as number) - (b[at] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export function concatOctets(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const piece of pieces) length += piece.length
  const octets = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    octets.set(piece, at)
    at += piece.length
  }
  return octets
}
