import type { IncomingMessage } from 'node:http'
import type { ServiceParameters } from '@causeway/npamp'

/** CARRIAGE section 1, TLV 0x4352. */
const MAX_PARAMETERS = 64
const MAX_PARAMETERS_OCTETS = 32 * 1024

const NONE: ServiceParameters = new Map()

/**
 * The headers of a request that cross with it, untouched: `mcp-name` and every `mcp-param-*`, known to us or not.
 * Undefined when they are more than a request can carry.
 */
export function parametersOf(request: IncomingMessage): ServiceParameters | undefined {
  const raw = request.rawHeaders
  let found: Map<string, string> | undefined
  let octets = 0
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (name.length < 8 || !isCandidate(name)) continue
    const lower = name.toLowerCase()
    if (lower !== 'mcp-name' && !lower.startsWith('mcp-param-')) continue
    found ??= new Map()
    if (found.has(lower)) continue
    // Repeated ones stand here already joined by `, `.
    const value = request.headers[lower]
    const text = typeof value === 'string' ? value : ''
    octets += lower.length + text.length
    if (found.size === MAX_PARAMETERS || octets > MAX_PARAMETERS_OCTETS) return undefined
    found.set(lower, text)
  }
  return found ?? NONE
}

export const PARAMETERS_LIMIT = `${MAX_PARAMETERS} headers Mcp-Param-* with together ${MAX_PARAMETERS_OCTETS} octets`

/** Starts with `mcp-`, in any case; most headers end here. */
function isCandidate(name: string): boolean {
  return (
    (name.charCodeAt(0) | 0x20) === 0x6d &&
    (name.charCodeAt(1) | 0x20) === 0x63 &&
    (name.charCodeAt(2) | 0x20) === 0x70 &&
    name.charCodeAt(3) === 0x2d
  )
}
