import { findAt, jsonKind } from '../../bridge/jsonrpc/json-text.ts'
import type { ScannedMessage } from '../../bridge/jsonrpc/scan.ts'
import { concatOctets } from '../../wire/octets.ts'
import { utf8 } from '../../wire/utf8.ts'

export const CANCELLED_METHOD = 'notifications/cancelled'

const HEAD = utf8(`{"jsonrpc":"2.0","method":"${CANCELLED_METHOD}","params":{"requestId":`)
const TAIL = utf8('}}')

/** The one message that a transparent relay originates (CARRIAGE section 5). `idToken` stands in it as it was written. */
export function cancelledNotification(idToken: Uint8Array): Uint8Array {
  return concatOctets([HEAD, idToken, TAIL])
}

/** The raw token of `params.requestId`; undefined where it is no id. */
export function cancelledRequestId(message: ScannedMessage): Uint8Array | undefined {
  if (message.params === undefined) return undefined
  const span = findAt(message.text, message.params, 'requestId')
  if (span === undefined) return undefined
  const kind = jsonKind(message.text, span)
  return kind === 'string' || kind === 'number' ? message.text.subarray(span.start, span.end) : undefined
}
