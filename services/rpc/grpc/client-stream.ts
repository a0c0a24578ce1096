import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js'
import { GrpcStream } from './grpc-stream.ts'
import { endOf } from './status-codes.ts'

/** The side that opened a stream. */
export class ClientStream<Sent extends DescMessage, Received extends DescMessage> extends GrpcStream<Sent, Received> {
  readonly #call: ClientDuplexStream<Buffer, MessageShape<Received>>

  constructor(call: ClientDuplexStream<Buffer, MessageShape<Received>>, schema: Sent, maxSentOctets: number) {
    super(call, schema, maxSentOctets)
    this.#call = call
    // The same as the status, which follows.
    call.on('error', () => {})
    call.on('status', ({ code, details }: StatusObject) => this.#over(code, details))
  }

  protected endCall(): void {
    this.#call.end()
  }

  protected failCall(): void {
    this.#call.cancel()
  }

  /** What came before the status may still wait in the call: it is given first. */
  #over(code: number, details: string): void {
    const error = endOf(code, details)
    this.state.close(error)
    if (this.#call.readableEnded) this.received.finish(error)
    else this.#call.once('end', () => this.received.finish(error))
  }
}
