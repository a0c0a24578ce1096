import type { StreamConfigRequest, StreamConfigResponse } from '../generated/causeway/config/v1/config_pb.ts'
import type { ForwardStatusRequest, ForwardStatusResponse } from '../generated/causeway/status/v1/forward_pb.ts'
import type { RpcError } from './rpc-error.ts'

/** One side of a bidirectional stream of messages: what it says, and what it hears. */
export interface MessageStream<Sent, Received> {
  /**
   * Queues a message. False: more is queued than the far side takes at the moment; who can wait then waits for
   * `writable`. Ignored once this side has ended or the stream is over. A message that cannot be encoded, or is larger
   * than the limit, throws RpcError.
   */
  send(message: Sent): boolean
  /** Resolves when more may be sent, or the stream is over. */
  writable(): Promise<void>
  /**
   * What the far side says, for one reader. It is read only as fast as it is taken from here (back-pressure). Ends when
   * the far side ended in order; otherwise throws RpcError, after everything that came before.
   */
  readonly received: AsyncIterable<Received>
  /** Why the stream is over. Never rejects. */
  readonly closed: Promise<StreamEnd>
  /** Says that nothing more is sent. From a server this ends the stream. */
  end(): void
  /** Ends the stream at once in both directions: from a server with this error, from a client as cancelled. */
  fail(error: RpcError): void
}

/** Undefined: in order. */
export type StreamEnd = RpcError | undefined

/** The relay's side of a configuration stream. */
export type ConfigStream = MessageStream<StreamConfigRequest, StreamConfigResponse>

/** How a relay reaches a control plane. */
export interface ConfigChannel {
  /** For people: where it leads to. */
  readonly target: string
  /** Opens a stream; never throws: what fails ends the stream. The signal cancels it. */
  open(signal: AbortSignal): ConfigStream
}

/** The control plane's side of a configuration stream. */
export type ServedConfigStream = MessageStream<StreamConfigResponse, StreamConfigRequest>

/** Serves configuration streams. What it throws or rejects with ends the stream: RpcError as such, else as INTERNAL. */
export type ConfigHandler = (peer: RelayIdentity, stream: ServedConfigStream) => void | Promise<void>

/** Who opened a stream, as its certificate says (CONTROL section 2), or as the in-process channel was told. */
export interface RelayIdentity {
  readonly namespace: string
  readonly relay: string
  /** Of the MeshRelay; undefined: there is none without Kubernetes. */
  readonly uid: string | undefined
  /** Unix milliseconds at which the certificate ends, and with it the stream; undefined: within one process. */
  readonly certificateEndsAtMs: number | undefined
}

/** A replica's side of a stream of status to the leader. */
export type StatusStream = MessageStream<ForwardStatusRequest, ForwardStatusResponse>

/** How a replica reaches the leader. */
export interface StatusChannel {
  readonly target: string
  open(signal: AbortSignal): StatusStream
}

/** The leader's side. */
export type ServedStatusStream = MessageStream<ForwardStatusResponse, ForwardStatusRequest>

/** Serves streams of status; only of whoever has a certificate of a control plane. */
export type StatusHandler = (stream: ServedStatusStream) => void | Promise<void>
