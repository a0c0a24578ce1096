import { findAt, idKey, jsonKind, type ScannedMessage } from '@causeway/npamp'

/** The token that a request wants its progress told under; undefined where it has none. Equal keys are equal tokens. */
export function requestedProgress(request: ScannedMessage): string | undefined {
  return tokenAt(request, '_meta', 'progressToken')
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
