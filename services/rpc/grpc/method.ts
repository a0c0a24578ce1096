import type { DescMessage, DescMethodBiDiStreaming, MessageShape } from '@bufbuild/protobuf'
import type { MethodDefinition } from '@grpc/grpc-js'
import { decodeMessage } from '../messages/codec.ts'

/** A method of a service descriptor as grpc-js wants it. What is sent is encoded before: its size is known then. */
export type BidiMethod<Sent extends DescMessage, Received extends DescMessage> = {
  readonly path: string
  readonly sent: Sent
  readonly received: Received
}

export function clientSide<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodBiDiStreaming<Input, Output>,
): BidiMethod<Input, Output> {
  return { path: pathOf(method), sent: method.input, received: method.output }
}

export function serverSide<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodBiDiStreaming<Input, Output>,
): BidiMethod<Output, Input> {
  return { path: pathOf(method), sent: method.output, received: method.input }
}

/** For a server: encoded responses, decoded requests. */
export function methodDefinition<Sent extends DescMessage, Received extends DescMessage>({
  path,
  received,
}: BidiMethod<Sent, Received>): MethodDefinition<MessageShape<Received>, Buffer> {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: () => Buffer.alloc(0),
    requestDeserialize: (octets) => decodeMessage(received, octets),
    responseSerialize: asItIs,
    responseDeserialize: asItIs,
  }
}

export function asItIs(octets: Buffer): Buffer {
  return octets
}

function pathOf(method: DescMethodBiDiStreaming<DescMessage, DescMessage>): string {
  return `/${method.parent.typeName}/${method.name}`
}
