import type { Readable } from 'node:stream'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { MessageStream, StreamEnd } from '../channel/contract.ts'
import { Inbox } from '../channel/inbox.ts'
import type { RpcError } from '../channel/rpc-error.ts'
import { StreamState } from '../channel/stream-state.ts'
import { encodeMessage } from '../messages/codec.ts'

/** Messages that are decoded and wait to be taken; beyond it nothing is read, and HTTP/2 holds the far side back. */
const CAPACITY = 4

/** Takes encoded messages and gives decoded ones. */
type Call = Readable & { write(octets: Buffer): boolean }

/** What both sides of a stream over gRPC have in common. A side says how it ends, and what ended it. */
export abstract class GrpcStream<Sent extends DescMessage, Received extends DescMessage>
  implements MessageStream<MessageShape<Sent>, MessageShape<Received>>
{
  readonly received: Inbox<MessageShape<Received>>
  protected readonly state = new StreamState()
  readonly #call: Call
  readonly #schema: Sent
  readonly #maxSentOctets: number
  #ended = false
  #writable = true

  constructor(call: Call, schema: Sent, maxSentOctets: number) {
    this.#call = call
    this.#schema = schema
    this.#maxSentOctets = maxSentOctets
    this.received = new Inbox(CAPACITY, () => call.resume())
    call.on('data', (message: MessageShape<Received>) => {
      this.received.put(message)
      if (this.received.full) call.pause()
    })
    call.on('drain', () => {
      this.#writable = true
      this.state.becameWritable()
    })
  }

  get closed(): Promise<StreamEnd> {
    return this.state.closed
  }

  send(message: MessageShape<Sent>): boolean {
    const octets = encodeMessage(this.#schema, message, this.#maxSentOctets)
    if (this.#ended || this.state.isClosed) return true
    this.#writable = this.#call.write(asBuffer(octets))
    return this.#writable
  }

  writable(): Promise<void> {
    return this.state.writable(this.#writable)
  }

  end(): void {
    if (this.#ended || this.state.isClosed) return
    this.#ended = true
    this.endCall()
  }

  fail(error: RpcError): void {
    if (this.state.isClosed) return
    this.#ended = true
    this.received.abandon(error)
    this.state.close(error)
    this.failCall(error)
  }

  protected abstract endCall(): void
  protected abstract failCall(error: RpcError): void
}

function asBuffer(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
}
