import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { StreamConfigRequestSchema, StreamConfigResponseSchema } from '../generated/causeway/config/v1/config_pb.ts'
import { decodeMessage, encodeMessage } from '../messages/codec.ts'
import { MAX_MESSAGE_OCTETS } from '../messages/limits.ts'
import type {
  ConfigChannel,
  ConfigHandler,
  ConfigStream,
  MessageStream,
  RelayIdentity,
  ServedConfigStream,
} from './contract.ts'
import { Inbox } from './inbox.ts'
import { RpcError } from './rpc-error.ts'
import { StreamState } from './stream-state.ts'

/** Messages that one side may be ahead of the other before it is asked to wait. */
const CAPACITY = 16

/**
 * A channel to a control plane in the same process (`causeway up`). Every message is encoded and decoded as on a wire, so
 * that neither side holds an object of the other, and the same limits apply.
 */
export function inProcessConfigChannel(handler: ConfigHandler, identity: RelayIdentity): ConfigChannel {
  return {
    target: 'this process',
    open(signal: AbortSignal): ConfigStream {
      const [client, server] = pair()
      serve(handler, identity, server)
      const cancel = (): void => client.fail(new RpcError('CANCELLED', 'cancelled by the relay'))
      signal.addEventListener('abort', cancel, { once: true })
      void client.closed.then(() => signal.removeEventListener('abort', cancel))
      if (signal.aborted) cancel()
      return client
    },
  }
}

async function serve(handler: ConfigHandler, identity: RelayIdentity, stream: ServedConfigStream): Promise<void> {
  try {
    await handler(identity, stream)
  } catch (error) {
    stream.fail(error instanceof RpcError ? error : new RpcError('INTERNAL', 'the control plane failed'))
  }
}

function pair(): [ConfigStream, ServedConfigStream] {
  const client = new Side(StreamConfigRequestSchema, StreamConfigResponseSchema, 'client')
  const server = new Side(StreamConfigResponseSchema, StreamConfigRequestSchema, 'server')
  client.connect(server)
  server.connect(client)
  return [client, server]
}

/** One side of a pair. What it hears is put into its inbox by the other side. */
class Side<Sent extends DescMessage, Received extends DescMessage>
  implements MessageStream<MessageShape<Sent>, MessageShape<Received>>
{
  readonly received: Inbox<MessageShape<Received>>
  readonly #sent: Sent
  readonly #heard: Received
  readonly #role: 'client' | 'server'
  readonly #state = new StreamState()
  #far: Side<Received, Sent> | undefined
  #ended = false

  constructor(sent: Sent, heard: Received, role: 'client' | 'server') {
    this.#sent = sent
    this.#heard = heard
    this.#role = role
    this.received = new Inbox(CAPACITY, () => this.#far?.becameWritable())
  }

  get closed() {
    return this.#state.closed
  }

  connect(far: Side<Received, Sent>): void {
    this.#far = far
  }

  send(message: MessageShape<Sent>): boolean {
    const octets = encodeMessage(this.#sent, message, MAX_MESSAGE_OCTETS)
    if (this.#ended || this.#state.isClosed) return true
    this.#far?.hear(octets)
    return !this.#farIsFull()
  }

  hear(octets: Uint8Array): void {
    this.received.put(decodeMessage(this.#heard, octets))
  }

  becameWritable(): void {
    this.#state.becameWritable()
  }

  over(error: RpcError | undefined): void {
    this.#state.close(error)
  }

  writable(): Promise<void> {
    return this.#state.writable(!this.#farIsFull())
  }

  end(): void {
    if (this.#ended || this.#state.isClosed) return
    this.#ended = true
    this.#far?.received.finish(undefined)
    if (this.#role === 'server') this.#close(undefined)
  }

  fail(error: RpcError): void {
    if (this.#state.isClosed) return
    this.#ended = true
    this.received.abandon(error)
    this.#far?.received.finish(error)
    this.#close(error)
  }

  #close(error: RpcError | undefined): void {
    this.over(error)
    this.#far?.over(error)
    this.received.finish(error)
  }

  #farIsFull(): boolean {
    return this.#far?.received.full ?? false
  }
}
