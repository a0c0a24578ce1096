/**
 * A Buffer as a plain Uint8Array over the same memory. Buffers must not leave this provider: their `slice` aliases where
 * a Uint8Array's copies.
 */
export function plain(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** The same memory as a Buffer, which node's types ask for where raw keys are imported. */
export function asBuffer(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
}
