import { createSecureContext } from 'node:tls'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type ChannelOptions, Client, ChannelCredentials as GrpcCredentials, Metadata } from '@grpc/grpc-js'
import type { TlsMaterial } from '../certificates/tls-material.ts'
import type { ConfigChannel, MessageStream, StatusChannel } from '../channel/contract.ts'
import { failedStream } from '../channel/failed-stream.ts'
import { RpcError } from '../channel/rpc-error.ts'
import { ConfigService } from '../generated/causeway/config/v1/config_pb.ts'
import { StatusService } from '../generated/causeway/status/v1/forward_pb.ts'
import { decodeMessage } from '../messages/codec.ts'
import { MAX_MESSAGE_OCTETS, MAX_REQUEST_OCTETS } from '../messages/limits.ts'
import { ClientStream } from './client-stream.ts'
import { asItIs, type BidiMethod, clientSide } from './method.ts'
import { secureContextOptions } from './secure-context.ts'

export interface GrpcChannelOptions {
  /** `host:port`; the host's name is looked up anew for every stream. */
  readonly address: string
  /** What the server's certificate must be for; default: the host of the address. */
  readonly serverName?: string
  /** Asked for every stream, so that renewed certificates count from the next one on. */
  readonly tls: () => TlsMaterial
  /** How long the server may take to say that a stream is open. Default 10 s. */
  readonly openTimeoutMs?: number
}

const DEFAULT_OPEN_TIMEOUT_MS = 10_000

export function grpcConfigChannel(options: GrpcChannelOptions): ConfigChannel {
  return {
    target: options.address,
    open: (signal) => open(clientSide(ConfigService.method.streamConfig), options, signal),
  }
}

export function grpcStatusChannel(options: GrpcChannelOptions): StatusChannel {
  return {
    target: options.address,
    open: (signal) => open(clientSide(StatusService.method.forwardStatus), options, signal),
  }
}

/** Every stream has a connection of its own, which ends with it: who opens the next one chooses where and when. */
function open<Sent extends DescMessage, Received extends DescMessage>(
  method: BidiMethod<Sent, Received>,
  options: GrpcChannelOptions,
  signal: AbortSignal,
): MessageStream<MessageShape<Sent>, MessageShape<Received>> {
  if (signal.aborted) return failedStream(new RpcError('CANCELLED', 'cancelled before it was opened'))
  const client = connect(options)
  if (client instanceof RpcError) return failedStream(client)
  const call = client.makeBidiStreamRequest<Buffer, MessageShape<Received>>(
    method.path,
    asItIs,
    (octets) => decodeMessage(method.received, octets),
    new Metadata(),
    {},
  )
  const stream = new ClientStream<Sent, Received>(call, method.sent, MAX_REQUEST_OCTETS)
  const cancel = (): void => stream.fail(new RpcError('CANCELLED', 'cancelled by this side'))
  signal.addEventListener('abort', cancel, { once: true })
  const limitMs = options.openTimeoutMs ?? DEFAULT_OPEN_TIMEOUT_MS
  const timer = setTimeout(() => stream.fail(notOpened(options.address, limitMs)), limitMs).unref()
  call.once('metadata', () => clearTimeout(timer))
  void stream.closed.then(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    client.close()
  })
  return stream
}

function connect({ address, serverName, tls }: GrpcChannelOptions): Client | RpcError {
  const name = serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }
  try {
    const context = createSecureContext(secureContextOptions(tls()))
    const credentials = GrpcCredentials.createFromSecureContext(context)
    return new Client(address, credentials, { ...CLIENT_OPTIONS, ...name })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return new RpcError('UNAUTHENTICATED', `the certificates cannot be used: ${reason}`)
  }
}

/** Nothing is tried again, kept for others or read from the environment here; a dead connection is found within half a minute. */
const CLIENT_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_OCTETS,
  'grpc.max_send_message_length': MAX_REQUEST_OCTETS,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_channelz': 0,
}

function notOpened(address: string, limitMs: number): RpcError {
  return new RpcError('DEADLINE_EXCEEDED', `${address} did not open the stream within ${limitMs} ms`)
}
