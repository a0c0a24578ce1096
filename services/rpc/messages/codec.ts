import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { RpcError } from '../channel/rpc-error.ts'

/** Throws RpcError: RESOURCE_EXHAUSTED beyond the limit, INTERNAL when it is not a message of that type. */
export function encodeMessage<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  maxOctets: number,
): Uint8Array {
  let octets: Uint8Array
  try {
    octets = toBinary(schema, message)
  } catch (error) {
    throw new RpcError('INTERNAL', `${schema.name} cannot be encoded: ${reason(error)}`)
  }
  if (octets.length <= maxOctets) return octets
  throw new RpcError(
    'RESOURCE_EXHAUSTED',
    `${schema.name} has ${octets.length} octets; at most ${maxOctets} may be sent in one message`,
  )
}

/** Throws RpcError INVALID_ARGUMENT. */
export function decodeMessage<Desc extends DescMessage>(schema: Desc, octets: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, octets)
  } catch (error) {
    throw new RpcError('INVALID_ARGUMENT', `${schema.name} cannot be decoded: ${reason(error)}`)
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
