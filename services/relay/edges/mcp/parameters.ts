import type { IncomingMessage } from 'node:http'
import type { ServiceParameters } from '@causeway/npamp'

/** CARRIAGE section 1, TLV 0x4352. */
const MAX_PARAMETERS = 64
const MAX_PARAMETERS_OCTETS = 32 * 1024

const NONE: ServiceParameters = new Map()

/**
 * The headers of a request that cross with it, untouched: `mcp-name` and every `mcp-param-*`, known to us or not, and those
 * that the route forwards (`forward`, in lower case). Undefined when they are more than a request can carry.
 */
export function parametersOf(request: IncomingMessage, forward: readonly string[] = []): ServiceParameters | undefined {
  const raw = request.rawHeaders
  const found = new Found()
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (name.length < 8 || !isCandidate(name)) continue
    const lower = name.toLowerCase()
    if ((lower === 'mcp-name' || lower.startsWith('mcp-param-')) && !found.add(lower, request)) return undefined
  }
  for (const name of forward) {
    if (request.headers[name] !== undefined && !found.add(name, request)) return undefined
  }
  return found.parameters
}

class Found {
  #parameters: Map<string, string> | undefined
  #octets = 0

  get parameters(): ServiceParameters {
    return this.#parameters ?? NONE
  }

  /** False when there is no room for it. */
  add(name: string, { headers }: IncomingMessage): boolean {
    this.#parameters ??= new Map()
    if (this.#parameters.has(name)) return true
    // Repeated ones stand here already joined by `, `.
    const value = headers[name]
    const text = typeof value === 'string' ? value : ''
    this.#octets += name.length + text.length
    if (this.#parameters.size === MAX_PARAMETERS || this.#octets > MAX_PARAMETERS_OCTETS) return false
    this.#parameters.set(name, text)
    return true
  }
}

export const PARAMETERS_LIMIT = `${MAX_PARAMETERS} headers Mcp-Param-* and forwarded ones with together ${MAX_PARAMETERS_OCTETS} octets`

/** Starts with `mcp-`, in any case; most headers end here. */
function isCandidate(name: string): boolean {
  return (
    (name.charCodeAt(0) | 0x20) === 0x6d &&
    (name.charCodeAt(1) | 0x20) === 0x63 &&
    (name.charCodeAt(2) | 0x20) === 0x70 &&
    name.charCodeAt(3) === 0x2d
  )
}
