import { isUtf8 } from 'node:buffer'

const MARKER_START = '=?base64?'
const MARKER_END = '?='

/**
 * The text that a header value of MCP stands for (digest 10 section 1): itself, or what the base64 inside a marker decodes
 * to. Undefined when it can stand for nothing: octets that a header must not have, base64 that is not canonical, or no
 * UTF-8. Blanks around the value are gone already: the HTTP parser takes them away.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(MARKER_START) || !value.endsWith(MARKER_END)) return isPlain(value) ? value : undefined
  const inner = value.slice(MARKER_START.length, -MARKER_END.length)
  const octets = Buffer.from(inner, 'base64')
  // Node skips what is no base64; with two spellings of one value, two readers could see two names.
  if (octets.toString('base64') !== inner) return undefined
  return isUtf8(octets) ? octets.toString('utf8') : undefined
}

function isPlain(value: string): boolean {
  return /^[\x20-\x7e\t]*$/.test(value)
}
