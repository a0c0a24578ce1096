/** Octets as a string of one character each: equal exactly for equal octets, and quick as a Map key. For short ones. */
export function octetKey(octets: Uint8Array): string {
  let key = ''
  for (const octet of octets) key += String.fromCharCode(octet)
  return key
}
