import {
  FAILURE_CODE,
  type FailureCode,
  IncompatibleError,
  LimitError,
  NpampError,
  OUTCOME,
  TRANSPORT_ERROR,
  type TransportFailure,
} from '../index.ts'
import type { JsonRpcMessage, RequestId } from './transport.ts'

/** Why a request has no answer of the server's. */
export interface Failure {
  readonly name: FailureCode
  /** For a person; never text of the peer's. */
  readonly message: string
  /** not_sent: nothing happened, it can be made again. unknown: look first whether it took effect. */
  readonly delivery: 'not_sent' | 'unknown'
  /** What the person can do about it. */
  readonly hint?: string
}

/** The failure as the JSON-RPC error of its request. `exchange` names the request in the logs of the relays. */
export function failureMessage(id: RequestId, failure: Failure, exchange: string | undefined): JsonRpcMessage {
  const { name, message, delivery, hint } = failure
  const causeway = {
    code: name,
    delivery,
    ...(exchange === undefined ? {} : { requestId: exchange }),
    ...(hint === undefined ? {} : { hint }),
  }
  return { jsonrpc: '2.0', id, error: { code: FAILURE_CODE[name], message, data: { causeway } } }
}

const { PROTOCOL_UNSUPPORTED, METHOD_UNSUPPORTED, SAFETY_POLICY } = TRANSPORT_ERROR

/** By the reason n, which stands for -33110 - n. */
const BY_REASON: readonly FailureCode[] = [
  'NotDelivered',
  'SafetyPolicy',
  'ApprovalRequired',
  'QuotaExceeded',
  'ProtocolUnsupported',
  'MethodUnsupported',
  'AuditUnavailable',
  'BackendAuthRequired',
]

const BY_TRANSPORT_ERROR: ReadonlyMap<number, FailureCode> = new Map([
  [PROTOCOL_UNSUPPORTED, 'ProtocolUnsupported'],
  [METHOD_UNSUPPORTED, 'MethodUnsupported'],
  [SAFETY_POLICY, 'SafetyPolicy'],
])

const MESSAGES: Readonly<Record<FailureCode, string>> = {
  NotDelivered: 'the other side got no answer to this request; its log says why',
  SafetyPolicy: 'a policy of the other side refused this request',
  ApprovalRequired: 'the other side wants an approval of this request first',
  QuotaExceeded: 'the other side has too much waiting already',
  ProtocolUnsupported: 'the peer does not carry MCP',
  MethodUnsupported: 'the peer has no such target, or not for this identity',
  AuditUnavailable: 'the other side cannot record this request and so refuses it',
  BackendAuthRequired: 'the server wants credentials that the mesh does not have',
  TooLarge: 'the request is larger than the peer accepts',
  SessionLost: 'the session ended; connect again',
}

const HINTS: { readonly [Name in FailureCode]?: string } = {
  MethodUnsupported: 'compare the target with name and peers of the MeshBackend on the other side',
  BackendAuthRequired: 'whoever runs the server must let its relay in',
}

/** What a transport error of the peer says to the caller, or one that this end found out by itself. */
export function failureOf({ code, outcome, reason, message }: TransportFailure, by: 'peer' | 'local'): Failure {
  const name = outcome === OUTCOME.SESSION_LOST ? 'SessionLost' : (BY_REASON[reason] ?? 'NotDelivered')
  const named = name === 'NotDelivered' ? (BY_TRANSPORT_ERROR.get(code) ?? name) : name
  const found = failure(named, outcome === OUTCOME.NOT_DELIVERED ? 'not_sent' : 'unknown')
  return by === 'local' ? { ...found, message } : found
}

/** Why this end did not take a request. Throws what is no such reason. */
export function refusalOf(error: unknown): Failure {
  if (error instanceof LimitError) return { ...failure('TooLarge', 'not_sent'), message: error.message }
  if (error instanceof IncompatibleError) return failure('ProtocolUnsupported', 'not_sent')
  if (error instanceof NpampError) return { ...failure('NotDelivered', 'not_sent'), message: error.message }
  throw error
}

export function failure(name: FailureCode, delivery: Failure['delivery']): Failure {
  const hint = HINTS[name]
  return { name, message: MESSAGES[name], delivery, ...(hint === undefined ? {} : { hint }) }
}
