import { isUtf8 } from 'node:buffer'
import { isNullId, MalformedError, releaseOf, type ScannedMessage, scanMessage } from '@causeway/npamp'

/** One message of a backend's, as far as carrying it needs to know. `octets` go from the first to the last octet of the JSON text. */
export type BackendMessage =
  | { readonly kind: 'notification'; readonly octets: Uint8Array }
  /** `idToken` is absent where the error has no id or a null one: its reader could not tell. */
  | {
      readonly kind: 'result' | 'error'
      readonly octets: Uint8Array
      readonly idToken: Uint8Array | undefined
      readonly message: ScannedMessage
      /** As of a CallReply. */
      readonly release: (() => void) | undefined
    }
  | { readonly kind: 'request'; readonly idToken: Uint8Array }
  | { readonly kind: 'batch' }
  /** No JSON-RPC message at all. */
  | { readonly kind: 'rubbish' }

/** @param octets belong to the message from here on. */
export function readMessage(octets: Uint8Array): BackendMessage {
  let scanned: ScannedMessage
  try {
    scanned = scanMessage(octets, { isUtf8 })
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { kind: 'rubbish' }
  }
  const { shape, text, idToken } = scanned
  switch (shape) {
    case 'notification':
      return { kind: 'notification', octets: text }
    case 'request':
      return idToken === undefined ? { kind: 'rubbish' } : { kind: 'request', idToken }
    case 'batch':
      return { kind: 'batch' }
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
