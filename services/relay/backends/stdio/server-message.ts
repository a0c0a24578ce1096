import { isUtf8 } from 'node:buffer'
import {
  findAt,
  idKey,
  isNullId,
  jsonKind,
  LimitError,
  MalformedError,
  releaseOf,
  type ScannedMessage,
  scanMessage,
  splitBatch,
} from '@causeway/npamp'

/** One JSON-RPC message of a server's. `octets` are its text, from the first to the last octet. */
export interface ServerMessage {
  readonly kind: 'request' | 'notification' | 'result' | 'error'
  readonly octets: Uint8Array
  readonly message: ScannedMessage
  /** As of a CallReply. */
  readonly release: (() => void) | undefined
}

/**
 * What a line holds: one message, or the raw slices of a batch. Undefined where it is no JSON-RPC; of a batch, also where
 * any of it is not, or it is too long.
 */
export function readLine(octets: Uint8Array): readonly ServerMessage[] | undefined {
  try {
    const message = scanMessage(octets, { isUtf8 })
    if (message.shape !== 'batch') return [of(message, releaseOf(octets))]
    return splitBatch(message, MAX_BATCH).map((slice) => of(scanMessage(slice, { isUtf8 }), undefined))
  } catch (error) {
    if (error instanceof MalformedError || error instanceof LimitError) return undefined
    throw error
  }
}

function of(message: ScannedMessage, release: (() => void) | undefined): ServerMessage {
  const { shape } = message
  if (shape === 'batch') throw new MalformedError('JSON_RPC', 'a batch stands in a batch')
  return { kind: shape, octets: message.text, message, release }
}

/** The id of an answer as a Map key; undefined where an error has none, or null: its writer could not tell. */
export function answeredKey({ idToken }: ScannedMessage): string | undefined {
  return idToken === undefined || isNullId(idToken) ? undefined : idKey(idToken)
}

/** The `progressToken` of a request or of a progress notification as a Map key. */
export function progressKey({ text, params }: ScannedMessage, ...path: readonly string[]): string | undefined {
  const span = params === undefined ? undefined : findAt(text, params, ...path, 'progressToken')
  const kind = span === undefined ? undefined : jsonKind(text, span)
  if (span === undefined || (kind !== 'string' && kind !== 'number')) return undefined
  return idKey(text.subarray(span.start, span.end))
}

const MAX_BATCH = 1_024
