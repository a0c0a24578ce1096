import type { EventEmitter } from 'node:events'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js'
import { RpcError } from '../channel/rpc-error.ts'
import { GrpcStream } from './grpc-stream.ts'
import { statusOf } from './status-codes.ts'

/** The side that serves a stream. */
export class ServerStream<Sent extends DescMessage, Received extends DescMessage> extends GrpcStream<Sent, Received> {
  readonly #call: ServerDuplexStream<MessageShape<Received>, Buffer>

  constructor(call: ServerDuplexStream<MessageShape<Received>, Buffer>, schema: Sent, maxSentOctets: number) {
    super(call, schema, maxSentOctets)
    this.#call = call
    // What is reset ends first, and is known to be reset a moment later.
    call.on('end', () => setImmediate(() => this.received.finish(undefined)))
    call.on('cancelled', () => this.#lost(new RpcError('CANCELLED', 'the far side is gone')))
    call.on('error', (error) => this.#lost(new RpcError('INTERNAL', error.message)))
    // So that the far side knows at once that the stream is open.
    call.sendMetadata(new Metadata())
  }

  protected endCall(): void {
    this.#call.end()
    this.state.close(undefined)
    this.received.finish(undefined)
  }

  protected failCall({ code, message }: RpcError): void {
    refuse(this.#call, code, message)
  }

  #lost(error: RpcError): void {
    this.received.finish(error)
    this.state.close(error)
  }
}

/** Ends a call with an error. */
export function refuse(call: Pick<EventEmitter, 'emit'>, code: RpcError['code'], message: string): void {
  call.emit('error', { code: statusOf(code), details: message })
}
