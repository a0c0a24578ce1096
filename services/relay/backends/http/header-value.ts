/**
 * The value encoding of `Mcp-Name` and `Mcp-Param-*` (digest 10 section 1): a value that a header cannot carry as it is, or
 * that looks like the marker itself, becomes the base64 of its UTF-8 octets inside `=?base64?...?=`.
 */
export function encodeHeaderValue(value: string): string {
  return isPlain(value) ? value : `${MARKER_START}${Buffer.from(value, 'utf8').toString('base64')}${MARKER_END}`
}

/** Whether a header can carry the value: one line, each character one octet, no control character but TAB. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value)
}

const MARKER_START = '=?base64?'
const MARKER_END = '?='
/** Visible ASCII at both ends, blanks and TABs only inside. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function isPlain(value: string): boolean {
  return PLAIN.test(value) && !(value.startsWith(MARKER_START) && value.endsWith(MARKER_END))
}
