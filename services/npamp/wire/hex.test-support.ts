/** Lower-case hex, blanks ignored. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replaceAll(/\s/g, '')
  const octets = new Uint8Array(digits.length / 2)
  for (let at = 0; at < octets.length; at++) octets[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)
  return octets
}

export function toHex(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
