const ENCODER = new TextEncoder()
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text)
}

/** The text, never normalised and never stripped of a BOM; undefined where the octets are not valid UTF-8. */
export function strictUtf8(octets: Uint8Array): string | undefined {
  try {
    return STRICT_DECODER.decode(octets)
  } catch {
    return undefined
  }
}

/** As many whole characters of `text` as fit into `maxOctets`. For diagnostics that must not fail for being long. */
export function utf8Prefix(text: string, maxOctets: number): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array(maxOctets)
  return octets.subarray(0, ENCODER.encodeInto(text, octets).written)
}
