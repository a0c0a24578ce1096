import {
  cancelledRequestId,
  findAt,
  idKey,
  jsonKind,
  NpampError,
  type ScannedMessage,
  scanMessage,
} from '@causeway/npamp'
import type { CallRequest } from '../exchanges/contract.ts'

/**
 * Which of the calls of one session a notification belongs to, by what it says; for peers that cannot say it beside the
 * message (digest 10 section 6). Undefined where nothing fits, or where two could.
 */
export function callByContent<Call extends Asking>(message: ScannedMessage, calls: Iterable<Call>): Call | undefined {
  const open = [...calls]
  const progress = tokenAt(message, 'progressToken')
  if (progress !== undefined) return only(open.filter(({ request }) => progressTokenOf(request) === progress))
  const subscription = tokenAt(message, '_meta', SUBSCRIPTION_ID)
  if (subscription !== undefined) return only(open.filter((call) => idKey(call.request.idToken) === subscription))
  return only(open)
}

/**
 * Whether a call's client will be told things before its answer, as far as the request says so: then they must find their
 * way to it, and not only its answer.
 */
export function expectsNotifications(request: CallRequest): boolean {
  return request.method === 'subscriptions/listen' || progressTokenOf(request) !== undefined
}

/** The raw id token that a `notifications/cancelled` names. */
export function cancelledToken(octets: Uint8Array): Uint8Array | undefined {
  const message = scanned(octets)
  const token = message && cancelledRequestId(message)
  const kind = token && jsonKind(token, { start: 0, end: token.length })
  return kind === 'string' || kind === 'number' ? token : undefined
}

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

function progressTokenOf({ octets, message = scanned(octets) }: CallRequest): string | undefined {
  return message && tokenAt(message, '_meta', 'progressToken')
}

/** The string or number at a path in `params`, so that equal ones have equal keys. */
function tokenAt({ text, params }: ScannedMessage, ...path: readonly string[]): string | undefined {
  const span = params && findAt(text, params, ...path)
  const kind = span && jsonKind(text, span)
  return span !== undefined && (kind === 'string' || kind === 'number')
    ? idKey(text.subarray(span.start, span.end))
    : undefined
}

function scanned(octets: Uint8Array): ScannedMessage | undefined {
  try {
    return scanMessage(octets)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}

interface Asking {
  readonly request: CallRequest
}

function only<Call>(calls: readonly Call[]): Call | undefined {
  return calls.length === 1 ? calls[0] : undefined
}
