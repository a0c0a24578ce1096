import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { type ChannelOptions, Server, type ServerDuplexStream } from '@grpc/grpc-js'
import { readPeerCertificate } from '../certificates/peer-certificate.ts'
import { relayIdentityOf } from '../certificates/relay-identity.ts'
import type { TlsMaterial } from '../certificates/tls-material.ts'
import type { ConfigHandler, RelayIdentity, StatusHandler } from '../channel/contract.ts'
import { RpcError } from '../channel/rpc-error.ts'
import { ConfigService } from '../generated/causeway/config/v1/config_pb.ts'
import { StatusService } from '../generated/causeway/status/v1/forward_pb.ts'
import { MAX_MESSAGE_OCTETS, MAX_REQUEST_OCTETS } from '../messages/limits.ts'
import { endWithCertificate } from './certificate-end.ts'
import { type BidiMethod, methodDefinition, serverSide } from './method.ts'
import { RenewableServerCredentials } from './server-credentials.ts'
import { refuse, ServerStream } from './server-stream.ts'

export interface GrpcServerOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly tls: TlsMaterial
  /** Serves relays of this trust domain. */
  readonly config?: { readonly trustDomain: string; readonly handler: ConfigHandler }
  /** Serves whoever has one of these names in its certificate: those of the control plane's own. */
  readonly status?: { readonly clientDnsNames: readonly string[]; readonly handler: StatusHandler }
}

export interface GrpcServer {
  readonly address: { readonly host: string; readonly port: number }
  /** For connections from now on. Throws when the material cannot be used; the last good one stays. */
  renewTls(tls: TlsMaterial): void
  /** Takes no more streams, waits until those that are open end, at most `graceMs`, and ends what is left. */
  close(graceMs: number): Promise<void>
}

/** Rejects when the address cannot be listened on, or the certificates cannot be used. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const credentials = new RenewableServerCredentials(options.tls)
  const server = new Server(SERVER_OPTIONS)
  if (options.config !== undefined) mountConfig(server, options.config)
  if (options.status !== undefined) mountStatus(server, options.status)
  const port = await bind(server, `${bracketed(options.host)}:${options.port}`, credentials)
  return {
    address: { host: options.host, port },
    renewTls: (tls) => credentials.renew(tls),
    close: (graceMs) => close(server, graceMs),
  }
}

/**
 * Dead connections are found within half a minute. A connection ends for good after 75 minutes: streams end after at most
 * 60 (CONTROL section 2), so that bounds one whose far side does not read. Channelz stays on: without it, forceShutdown of
 * grpc-js ends no connection.
 */
const SERVER_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_REQUEST_OCTETS,
  'grpc.max_send_message_length': MAX_MESSAGE_OCTETS,
  'grpc.max_concurrent_streams': 8,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_age_ms': 70 * 60_000,
  'grpc.max_connection_age_grace_ms': 5 * 60_000,
}

function mountConfig(server: Server, { trustDomain, handler }: NonNullable<GrpcServerOptions['config']>): void {
  mount(server, serverSide(ConfigService.method.streamConfig), {
    authenticate: (der) => {
      const certificate = readPeerCertificate(der)
      return certificate && relayIdentityOf(certificate, trustDomain)
    },
    serve: handler,
  })
}

function mountStatus(server: Server, { clientDnsNames, handler }: NonNullable<GrpcServerOptions['status']>): void {
  mount(server, serverSide(StatusService.method.forwardStatus), {
    authenticate: (der) => {
      const certificate = readPeerCertificate(der)
      const known = certificate?.dnsNames.some((name) => clientDnsNames.includes(name)) ?? false
      return known ? { certificateEndsAtMs: certificate?.endsAtMs } : undefined
    },
    serve: (_peer, stream) => handler(stream),
  })
}

interface Mounted<Peer, Sent extends DescMessage, Received extends DescMessage> {
  /** Undefined: a certificate of somebody who has no business here. */
  authenticate(der: Uint8Array): Peer | undefined
  serve(peer: Peer, stream: ServerStream<Sent, Received>): void | Promise<void>
}

function mount<
  Peer extends Pick<RelayIdentity, 'certificateEndsAtMs'>,
  Sent extends DescMessage,
  Received extends DescMessage,
>(server: Server, method: BidiMethod<Sent, Received>, mounted: Mounted<Peer, Sent, Received>): void {
  const stream = (call: ServerDuplexStream<MessageShape<Received>, Buffer>): void => {
    const der = call.getAuthContext().sslPeerCertificate?.raw
    const peer = der && mounted.authenticate(der)
    if (peer === undefined) {
      refuse(call, 'PERMISSION_DENIED', 'this certificate does not entitle to this service')
      return
    }
    const served = new ServerStream<Sent, Received>(call, method.sent, MAX_MESSAGE_OCTETS)
    endWithCertificate(served, peer.certificateEndsAtMs)
    void serve(mounted, peer, served)
  }
  server.addService({ stream: methodDefinition(method) }, { stream })
}

async function serve<Peer, Sent extends DescMessage, Received extends DescMessage>(
  mounted: Mounted<Peer, Sent, Received>,
  peer: Peer,
  stream: ServerStream<Sent, Received>,
): Promise<void> {
  try {
    await mounted.serve(peer, stream)
  } catch (error) {
    stream.fail(error instanceof RpcError ? error : new RpcError('INTERNAL', 'the control plane failed'))
  }
}

function bind(server: Server, address: string, credentials: RenewableServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)))
  })
}

/** How often whoever came out of a handshake that was under way is ended: nothing tells of them. */
const FORCE_EVERY_MS = 20

async function close(server: Server, graceMs: number): Promise<void> {
  const force = (): void => {
    server.forceShutdown()
    timer = setTimeout(force, FORCE_EVERY_MS)
  }
  let timer = setTimeout(force, graceMs)
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  clearTimeout(timer)
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
