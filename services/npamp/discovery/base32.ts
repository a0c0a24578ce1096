const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** RFC 4648 section 6, lower case, no padding. */
export function encodeBase32(octets: Uint8Array): string {
  // Joined once: a text grown by the character would be kept as a chain of its pieces.
  const characters: string[] = []
  let bits = 0
  let held = 0
  for (const octet of octets) {
    held = ((held << 8) | octet) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) characters.push(ALPHABET.charAt((held >>> (bits - 5)) & 31))
  }
  if (bits > 0) characters.push(ALPHABET.charAt((held << (5 - bits)) & 31))
  return characters.join('')
}

/** Undefined for another alphabet, upper case, padding, and any spelling that `encodeBase32` does not give. */
export function decodeBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const octets = new Uint8Array(Math.floor((text.length * 5) / 8))
  let at = 0
  let bits = 0
  let held = 0
  for (const character of text) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) return undefined
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    octets[at++] = held >>> bits
  }
  return encodeBase32(octets) === text ? octets : undefined
}
