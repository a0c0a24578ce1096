import { findAt, idKey, jsonKind, type ScannedMessage } from '@causeway/npamp'
import type { CallRequest } from '../../exchanges/contract.ts'
import { readMessage } from './message.ts'

/** The token that a request wants its progress told under; undefined where it has none. Equal keys are equal tokens. */
export function requestedProgress(request: Pick<CallRequest, 'octets' | 'message'>): string | undefined {
  if (request.message !== undefined) return tokenAt(request.message, '_meta', 'progressToken')
  const read = readMessage(request.octets)
  return read.kind === 'request' ? tokenAt(read.message, '_meta', 'progressToken') : undefined
}

/** The token that a notification is about. */
export function toldProgress(notification: ScannedMessage): string | undefined {
  return tokenAt(notification, 'progressToken')
}

function tokenAt({ text, params }: ScannedMessage, ...path: readonly string[]): string | undefined {
  const span = params === undefined ? undefined : findAt(text, params, ...path)
  if (span === undefined) return undefined
  const kind = jsonKind(text, span)
  return kind === 'string' || kind === 'number' ? idKey(text.subarray(span.start, span.end)) : undefined
}
