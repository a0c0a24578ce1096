import { AuthenticationError, type CloseCause, IncompatibleError, NpampError, OUTCOME } from '@causeway/npamp'
import type { CallFailure } from '../exchanges/contract.ts'

/** Why a dial did not end in an association that carries calls. */
export interface DialFailure {
  /** For metrics and logs: an error's stable code in lower case, or what the peer said. */
  readonly result: string
  /** What the system said of a connection that could not be made, such as ECONNREFUSED. */
  readonly socketCode?: string | undefined
  /** For a log line. */
  readonly message: string
  /** Somebody's configuration is wrong: waiting does not help. */
  readonly permanent: boolean
  /** Authenticated, but the peer said nothing of what it carries. */
  readonly noHello: boolean
}

export function failureOfError(error: unknown): DialFailure {
  if (!(error instanceof NpampError)) throw error
  const permanent = error instanceof AuthenticationError || error instanceof IncompatibleError
  return {
    result: error.code.toLowerCase(),
    socketCode: socketCodeOf(error.cause),
    message: error.message,
    permanent,
    noHello: error.code === 'NO_HELLO',
  }
}

function socketCodeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

export function failureOfClose(cause: CloseCause): DialFailure {
  if (cause.by === 'error') return failureOfError(cause.error)
  const message = cause.by === 'peer' ? `the peer closed with code ${cause.code}` : 'closed by this relay'
  return { result: cause.by === 'peer' ? 'peer_closed' : 'closed', message, permanent: false, noHello: false }
}

/**
 * The same for an association that had authenticated the peer. The peer authenticates last, and one that refuses says
 * nothing: to whoever dialled, that is a connection that ends right after the handshake.
 */
export function failureAfterHandshake(cause: CloseCause): DialFailure {
  const failure = failureOfClose(cause)
  if (cause.by !== 'error' || cause.error.code !== 'TRANSPORT_LOST') return failure
  return { ...failure, result: ENDED_AFTER_HANDSHAKE, message: `${failure.message}, right after the handshake` }
}

const ENDED_AFTER_HANDSHAKE = 'ended_after_handshake'

/** What a call says that waited for the dial. `peer` is `namespace/name`. */
export function callFailureOf(peer: string, failure: DialFailure | undefined): CallFailure {
  const outcome = OUTCOME.NOT_DELIVERED
  if (failure?.noHello) {
    return {
      code: 'ProtocolUnsupported',
      outcome,
      message: `peer ${peer} authenticated, but did not say what it carries`,
      hint: 'if it is an implementation without HELLO, set assumedProtocols and defaultBackend in its MeshPeer',
    }
  }
  return {
    code: 'NotDelivered',
    outcome,
    message: `no association with peer ${peer}: ${reasonOf(failure)}`,
    hint:
      failure !== undefined && (failure.permanent || TOLD_OFF.has(failure.result))
        ? 'compare the MeshPeer objects of both sides: handles, profile, tls'
        : 'check that the peer runs and that addresses in its MeshPeer are right',
  }
}

function reasonOf(failure: DialFailure | undefined): string {
  if (failure === undefined) return 'it did not answer in time'
  return REASONS[failure.result] ?? SOCKET_REASONS[failure.socketCode ?? ''] ?? 'the connection failed'
}

/** In our words: the peer's text stays in the log. */
const REASONS: Readonly<Record<string, string>> = {
  identity_refused: 'it is not who its MeshPeer says it is',
  cert_verify: 'it could not prove its identity',
  finished: 'the handshake was tampered with',
  alpn: 'what answers there does not speak n-pamp/2',
  tls: 'TLS could not be established',
  no_common_profile: 'it does not offer the profile of its MeshPeer',
  no_common_version: 'it speaks another version',
  handshake_timeout: 'it did not answer in time',
  peer_closed: 'it closed the association at once; does it list the handle of this relay?',
  [ENDED_AFTER_HANDSHAKE]: 'it ended the connection right after the handshake; does it list the handle of this relay?',
}

/** By the system's code only. */
const SOCKET_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'the name in its address is unknown',
  EAI_AGAIN: 'the name in its address could not be resolved',
  EHOSTUNREACH: 'no route to its host',
  ENETUNREACH: 'no route to its network',
  ETIMEDOUT: 'connecting took too long',
}

/** May be a fault of the configuration, and may pass. */
const TOLD_OFF: ReadonlySet<string> = new Set(['peer_closed', ENDED_AFTER_HANDSHAKE])
