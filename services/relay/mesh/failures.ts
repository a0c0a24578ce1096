import {
  type FailureCode,
  OUTCOME,
  type Outcome,
  STATUS,
  statusOf,
  TRANSPORT_ERROR,
  type TransportErrorCode,
  type TransportFailure,
} from '@causeway/npamp'
import type { CallFailure } from '../exchanges/contract.ts'

/** One row of CARRIAGE section 8. Reason n stands for the northbound code -33110 - n. */
interface Row {
  readonly code: FailureCode
  readonly reason: number
  /** What it crosses as. */
  readonly transportError: TransportErrorCode
  /** For a person at the near edge; the peer's own text is not shown there. */
  readonly message: string
  readonly hint?: string
}

const { NOT_DELIVERED, SAFETY_POLICY, PROTOCOL_UNSUPPORTED, METHOD_UNSUPPORTED } = TRANSPORT_ERROR

const NO_ANSWER: Row = row(
  'NotDelivered',
  0,
  NOT_DELIVERED,
  'the other side got no answer to this request; its log says why',
)

const ROWS: readonly Row[] = [
  NO_ANSWER,
  row('SafetyPolicy', 1, SAFETY_POLICY, 'a policy of the other side refused this request'),
  row('ApprovalRequired', 2, SAFETY_POLICY, 'the other side wants an approval of this request first'),
  row('QuotaExceeded', 3, NOT_DELIVERED, 'the other side has too much waiting already'),
  row('ProtocolUnsupported', 4, PROTOCOL_UNSUPPORTED, 'the peer does not carry this protocol'),
  row(
    'MethodUnsupported',
    5,
    METHOD_UNSUPPORTED,
    'the peer has no such target, or not for this relay',
    'compare target of the MeshRoute with name and peers of the MeshBackend on the other side',
  ),
  row('AuditUnavailable', 6, NOT_DELIVERED, 'the other side cannot record this request and so refuses it'),
  row(
    'BackendAuthRequired',
    7,
    NOT_DELIVERED,
    'the server wants credentials that the mesh does not have',
    'credentials of clients are never passed on; whoever runs the server must let its relay in',
  ),
]

function row(
  code: FailureCode,
  reason: number,
  transportError: TransportErrorCode,
  message: string,
  hint?: string,
): Row {
  return { code, reason, transportError, message, ...(hint === undefined ? {} : { hint }) }
}

/** What the near edge says about a transport error of the far relay. */
export function failureFromPeer(failure: TransportFailure): CallFailure {
  const status = statusOf(failure.parameters)
  const retryAfter = failure.parameters.get('retry-after')
  const rest = {
    outcome: failure.outcome,
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
  if (failure.outcome === OUTCOME.SESSION_LOST) return { code: 'SessionLost', message: SESSION_LOST, ...rest }
  const found = rowOf(failure)
  const { code } = found
  const hint = status === 404 ? WRONG_URL : found.hint
  return { code, message: messageOf(found, failure.outcome, status), ...(hint === undefined ? {} : { hint }), ...rest }
}

/** The association with `peer`, which is `namespace/name`, ended with the call under way: nobody can know what became of it. */
export function associationLost(peer: string): CallFailure {
  return {
    code: 'NotDelivered',
    outcome: OUTCOME.UNKNOWN,
    message: `the association with peer ${peer} was lost while the call was under way`,
    hint: 'look whether the call took effect before it is made again',
  }
}

/** A 404 in a session of the backend's crosses as outcome 3. */
const WRONG_URL = "on the other side, compare spec.mcp.url of the MeshBackend with the server's endpoint"

/** NotDelivered stands for many things; what the peer says of them besides its text tells them apart. */
function messageOf({ code, message }: Row, outcome: Outcome, status: number | undefined): string {
  if (code !== 'NotDelivered') return message
  if (status !== undefined) return `the backend answered with HTTP status ${status}`
  return outcome === OUTCOME.NOT_DELIVERED ? 'the other side could not hand this request on; its log says why' : message
}

export const SESSION_LOST = 'the session ended; initialize again'

/** The reason says most; else the code of the transport error itself; anything unknown is NotDelivered. */
function rowOf({ code, reason }: TransportFailure): Row {
  const byReason = reason === 0 ? undefined : ROWS.find((one) => one.reason === reason)
  return byReason ?? ROWS.find((one) => one.transportError === code) ?? NO_ANSWER
}

/** How a failure on the backend's side crosses to the near relay (BRG-018: never as a foreign error). */
export function failureToPeer(failure: CallFailure): TransportFailure {
  const { code, reason, transportError } = ROWS.find((one) => one.code === failure.code) ?? NO_ANSWER
  return {
    code: transportError,
    message: failure.message,
    outcome: outcomeToPeer(failure),
    reason,
    parameters: parametersOf(failure, code),
  }
}

/** A call that was taken before its session was lost may have run: what is unknown of it stays so (CARRIAGE section 4). */
function outcomeToPeer({ code, outcome }: CallFailure): Outcome {
  return code === 'SessionLost' && outcome !== OUTCOME.UNKNOWN ? OUTCOME.SESSION_LOST : outcome
}

function parametersOf(failure: CallFailure, code: FailureCode): Map<string, string> {
  const parameters = new Map<string, string>()
  // Their status stays here (CARRIAGE section 8): a client that saw 401 would start a login with the wrong party.
  if (failure.status !== undefined && code !== 'BackendAuthRequired') parameters.set(STATUS, String(failure.status))
  if (failure.retryAfter !== undefined) parameters.set('retry-after', failure.retryAfter)
  return parameters
}
