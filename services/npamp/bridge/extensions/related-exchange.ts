import { MalformedError, MisuseError } from '../../errors.ts'
import { Reader } from '../../wire/reader.ts'
import type { RelatedExchange } from '../contract.ts'

/** TLV 0x4353: u8 originator, then the correlation_id of that exchange, 1 to 255 octets. Throws MisuseError ARGUMENT. */
export function encodeRelatedExchange({ originator, correlationId }: RelatedExchange): Uint8Array {
  if (correlationId.length === 0 || correlationId.length > 255)
    throw new MisuseError('ARGUMENT', 'a correlation_id has 1 to 255 octets')
  const octets = new Uint8Array(1 + correlationId.length)
  octets[0] = originator
  octets.set(correlationId, 1)
  return octets
}

/** Throws MalformedError EXTENSION. */
export function decodeRelatedExchange(value: Uint8Array): RelatedExchange {
  const reader = new Reader(value, 'RelatedExchange', 'EXTENSION')
  const originator = reader.u8()
  const correlationId = reader.rest()
  if (originator !== 0 && originator !== 1)
    throw new MalformedError('EXTENSION', `RelatedExchange has originator ${originator}`)
  if (correlationId.length === 0 || correlationId.length > 255)
    throw new MalformedError('EXTENSION', `RelatedExchange names a correlation_id of ${correlationId.length} octets`)
  return { originator, correlationId }
}
