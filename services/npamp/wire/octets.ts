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

/** Smaller ones cost the collector less than giving them back costs us. */
export const RELEASE_FROM_OCTETS = 16 * 1024

/**
 * Gives back the memory of a large array at once, where the array is all there is of its buffer. For who alone owns it: any
 * other view of that buffer is empty from here on. Left to the collector, every 30 MiB or so of such arrays make it look at
 * the whole heap, which costs more than all the cryptography on them.
 */
export function release(octets: Uint8Array): void {
  const { buffer, length } = octets
  if (length >= RELEASE_FROM_OCTETS && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** The same, later; undefined where there is nothing to gain. */
export function releaseOf(octets: Uint8Array): (() => void) | undefined {
  return octets.length < RELEASE_FROM_OCTETS ? undefined : () => release(octets)
}
