const ENCODER = new TextEncoder()
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Names and methods are shorter and plain ASCII: an engine's encoder takes ten times as long to get going. */
const SHORT = 48

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return (text.length <= SHORT ? encodeAscii(text) : undefined) ?? ENCODER.encode(text)
}

function encodeAscii(text: string): Uint8Array<ArrayBuffer> | undefined {
  const octets = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return undefined
    octets[at] = unit
  }
  return octets
}

/** The text, never normalised and never stripped of a BOM; undefined where the octets are not valid UTF-8. */
export function strictUtf8(octets: Uint8Array): string | undefined {
  return (octets.length <= SHORT ? decodeAscii(octets) : undefined) ?? decodeUtf8(octets)
}

function decodeAscii(octets: Uint8Array): string | undefined {
  let text = ''
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] as number
    if (octet >= 0x80) return undefined
    text += String.fromCharCode(octet)
  }
  return text
}

function decodeUtf8(octets: Uint8Array): string | undefined {
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
