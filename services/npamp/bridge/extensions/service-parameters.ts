import { LimitError, MalformedError, MisuseError } from '../../errors.ts'
import { type CborValue, decodeCbor, encodeCbor } from '../../wire/cbor.ts'
import type { ServiceParameters } from '../contract.ts'

const MAX_PARAMETERS = 64
const MAX_PARAMETERS_OCTETS = 32 * 1024
/** A header name in lower case, or the pseudo-header `:status`. */
const NAME = /^:?[!#$%&'*+.^_`|~0-9a-z-]+$/
const BEYOND_OCTETS = /[^\0-\xff]/

/**
 * TLV 0x4352: deterministic CBOR map text -> text, header octets as U+0000-U+00FF (CARRIAGE section 1). Throws MisuseError
 * ARGUMENT for a name or value that has no such form; LimitError ITEMS or LENGTH.
 */
export function encodeServiceParameters(parameters: ServiceParameters): Uint8Array {
  if (parameters.size > MAX_PARAMETERS) throw new LimitError('ITEMS', `more than ${MAX_PARAMETERS} service parameters`)
  const map = new Map<CborValue, CborValue>()
  for (const [name, value] of parameters) {
    const fault = whyNoParameter(name, value)
    if (fault !== undefined) throw new MisuseError('ARGUMENT', fault)
    map.set(name, value)
  }
  const octets = encodeCbor(map)
  if (octets.length > MAX_PARAMETERS_OCTETS)
    throw new LimitError('LENGTH', `service parameters of more than ${MAX_PARAMETERS_OCTETS} octets`)
  return octets
}

/** Throws MalformedError EXTENSION or CBOR; LimitError LENGTH or ITEMS. */
export function decodeServiceParameters(octets: Uint8Array): ServiceParameters {
  const map = decodeCbor(octets, { maxOctets: MAX_PARAMETERS_OCTETS, maxDepth: 2, maxItems: 1 + 2 * MAX_PARAMETERS })
  if (!(map instanceof Map)) throw new MalformedError('EXTENSION', 'ServiceParameters is not a map')
  const parameters = new Map<string, string>()
  for (const [name, value] of map) {
    if (typeof name !== 'string' || typeof value !== 'string')
      throw new MalformedError('EXTENSION', 'ServiceParameters maps something other than text to text')
    const fault = whyNoParameter(name, value)
    if (fault !== undefined) throw new MalformedError('EXTENSION', fault)
    parameters.set(name, value)
  }
  return parameters
}

function whyNoParameter(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'a service parameter has a name that is no lower-case header name'
  if (BEYOND_OCTETS.test(value)) return 'a service parameter has a character above U+00FF'
  return undefined
}
