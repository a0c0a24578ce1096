import { isUtf8 } from 'node:buffer'
import {
  isNullId,
  LimitError,
  MalformedError,
  releaseOf,
  type ScannedMessage,
  scanMessage,
  splitBatch,
} from '@causeway/npamp'

/** One message of a backend's, as far as carrying it needs to know. `octets` go from the first to the last octet of the JSON text. */
export type BackendMessage =
  | { readonly kind: 'notification'; readonly octets: Uint8Array; readonly message: ScannedMessage }
  | ReplyMessage
  | RequestMessage

export interface ReplyMessage {
  readonly kind: 'result' | 'error'
  readonly octets: Uint8Array
  /** Absent where the error has no id or a null one: its reader could not tell. */
  readonly idToken: Uint8Array | undefined
  readonly message: ScannedMessage
  /** As of a CallReply. */
  readonly release: (() => void) | undefined
}

export interface RequestMessage {
  readonly kind: 'request'
  readonly octets: Uint8Array
  readonly idToken: Uint8Array
  readonly method: string
  readonly message: ScannedMessage
}

type Reading =
  | BackendMessage
  | { readonly kind: 'batch'; readonly message: ScannedMessage }
  /** No JSON-RPC message at all. */
  | { readonly kind: 'rubbish' }

/** @param octets belong to the message from here on. */
export function readMessage(octets: Uint8Array): Reading {
  let scanned: ScannedMessage
  try {
    scanned = scanMessage(octets, { isUtf8 })
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { kind: 'rubbish' }
  }
  const { shape, text, idToken, method } = scanned
  switch (shape) {
    case 'notification':
      return { kind: 'notification', octets: text, message: scanned }
    case 'request':
      if (idToken === undefined || method === undefined) return { kind: 'rubbish' }
      return { kind: 'request', octets: text, idToken, method, message: scanned }
    case 'batch':
      return { kind: 'batch', message: scanned }
    default:
      return {
        kind: shape,
        octets: text,
        idToken: idToken === undefined || isNullId(idToken) ? undefined : idToken,
        message: scanned,
        release: releaseOf(octets),
      }
  }
}

/** The raw texts of a batch (CARRIAGE section 3); undefined where it is empty or holds more than `maxMessages`. */
export function slices(batch: ScannedMessage, maxMessages: number): Uint8Array[] | undefined {
  try {
    return splitBatch(batch, maxMessages)
  } catch (error) {
    if (error instanceof LimitError || error instanceof MalformedError) return undefined
    throw error
  }
}
