import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { StreamConfigRequestSchema, StreamConfigResponseSchema } from '../generated/causeway/config/v1/config_pb.ts'
import type { ConfigHandler, RelayIdentity, ServedConfigStream } from './contract.ts'
import { inProcessConfigChannel } from './in-process.ts'
import { RpcError } from './rpc-error.ts'

const IDENTITY: RelayIdentity = { namespace: 'default', relay: 'edge', uid: undefined, certificateEndsAtMs: undefined }
const hello = () => create(StreamConfigRequestSchema, { message: { case: 'hello', value: { relay: 'edge' } } })
const delta = (nonce: bigint) => create(StreamConfigResponseSchema, { message: { case: 'delta', value: { nonce } } })

function open(handler: ConfigHandler = () => {}, signal = new AbortController().signal) {
  let served: ServedConfigStream | undefined
  const client = inProcessConfigChannel((peer, stream) => {
    served = stream
    return handler(peer, stream)
  }, IDENTITY).open(signal)
  if (served === undefined) throw new Error('the handler is called before open returns')
  return { client, server: served }
}

describe('a configuration stream within one process', () => {
  it('carries messages both ways as copies, and says who the relay is', async () => {
    const identities: RelayIdentity[] = []
    const { client, server } = open((identity) => void identities.push(identity))
    const sent = hello()
    client.send(sent)
    const heard = (await server.received[Symbol.asyncIterator]().next()).value
    expect(heard).toEqual(sent)
    expect(heard).not.toBe(sent)
    server.send(delta(1n))
    expect((await client.received[Symbol.asyncIterator]().next()).value).toEqual(delta(1n))
    expect(identities).toEqual([IDENTITY])
  })

  it('asks the sender to wait while the reader is behind', async () => {
    const { client, server } = open()
    let sent = 0
    while (server.send(delta(BigInt(sent)))) sent += 1
    let writable = false
    const waiting = server.writable().then(() => {
      writable = true
    })
    expect([sent, writable]).toEqual([15, false])
    await client.received[Symbol.asyncIterator]().next()
    await waiting
    expect(writable).toBe(true)
  })

  it('is over when the server ends it; what was sent before is read', async () => {
    const { client, server } = open()
    server.send(delta(1n))
    server.end()
    server.send(delta(2n))
    const nonces: unknown[] = []
    for await (const { message } of client.received) nonces.push(message.case === 'delta' && message.value.nonce)
    expect(nonces).toEqual([1n])
    expect([await client.closed, await server.closed]).toEqual([undefined, undefined])
  })

  it('stays open towards the relay when the relay has nothing more to say', async () => {
    const { client, server } = open()
    client.end()
    expect((await server.received[Symbol.asyncIterator]().next()).done).toBe(true)
    server.send(delta(1n))
    expect((await client.received[Symbol.asyncIterator]().next()).done).toBe(false)
  })

  it('is cancelled by its signal, before and after it was opened', async () => {
    const cancel = new AbortController()
    const { client, server } = open(() => {}, cancel.signal)
    cancel.abort()
    for (const side of [client, server]) expect(await side.closed).toMatchObject({ code: 'CANCELLED' })
    await expect(server.received[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await open(() => {}, cancel.signal).client.closed).toMatchObject({ code: 'CANCELLED' })
  })

  it.each([
    [new RpcError('UNAVAILABLE', 'not synced'), 'UNAVAILABLE', 'not synced'],
    [new Error('a secret'), 'INTERNAL', 'the control plane failed'],
  ])('ends with what its handler throws: %s', async (thrown, code, message) => {
    const { client } = open(() => Promise.reject(thrown))
    expect(await client.closed).toMatchObject({ code, message })
    await expect(client.received[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code })
  })
})
