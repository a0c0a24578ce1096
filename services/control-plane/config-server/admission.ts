import { type Hello, MAX_RESOURCES, type RelayIdentity, RpcError, type ServedConfigStream } from '@causeway/rpc'
import type { InstanceName } from '../status/instance.ts'

/**
 * Who an instance is: what its Hello says must be what its certificate says, and the MeshRelay must be the very object that
 * the certificate is for (CONTROL section 2). `relayUid`: of the MeshRelay of that name now; undefined: there is none.
 * Throws RpcError PERMISSION_DENIED, which says the same whatever was wrong: a stranger learns nothing.
 */
export function admitted(identity: RelayIdentity, hello: Hello, relayUid: string | undefined): InstanceName {
  const { namespace, relay, ordinal, bootId } = hello
  const isItself = identity.namespace === namespace && identity.relay === relay
  // Objects in files have no uid, and certificates for them name none.
  const isThisObject = relayUid !== undefined && relayUid === (identity.uid ?? '')
  if (!isItself || !isThisObject) throw new RpcError('PERMISSION_DENIED', 'this relay is not served here')
  if (ordinal > MAX_ORDINAL) throw new RpcError('INVALID_ARGUMENT', `ordinal is larger than ${MAX_ORDINAL}`)
  if (hello.held.length > MAX_RESOURCES) throw new RpcError('INVALID_ARGUMENT', 'more resources than a relay has')
  if (!BOOT_ID.test(bootId)) throw new RpcError('INVALID_ARGUMENT', 'boot_id is not a UUIDv7')
  return { namespace, relay, ordinal, bootId: bootId.toLowerCase(), relayUid }
}

/** Resolves with the first message of a stream. Rejects with RpcError where it is not a Hello, or there is none. */
export async function helloOf(messages: AsyncIterator<StreamMessage>): Promise<Hello> {
  const first = await messages.next()
  if (first.done === true) throw new RpcError('CANCELLED', 'the stream ended without a Hello')
  const { message } = first.value
  if (message.case === 'hello') return message.value
  throw new RpcError('INVALID_ARGUMENT', 'the first message of a stream must be a Hello')
}

type StreamMessage = ServedConfigStream extends { readonly received: AsyncIterable<infer Message> } ? Message : never

/** As MeshRelay.spec.replicas allows: 1,000. Of one relay there are no more streams than that. */
const MAX_ORDINAL = 999
const BOOT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
