import { MalformedError } from '../../errors.ts'
import { methodFault } from './method.ts'
import { type ScannedMessage, type ScanOptions, scanMessage } from './scan.ts'

/**
 * What an edge makes of a client's octets. The faults map to HTTP as CARRIAGE section 2 and 3 say:
 * NOT_JSON 400 and -32700; NOT_JSON_RPC and METHOD_SURROGATE 400 and -32600; METHOD_TOO_LONG -32601.
 */
export type MessageReading =
  | { readonly ok: true; readonly message: ScannedMessage }
  | {
      readonly ok: false
      readonly fault: MessageFault
      readonly reason: string
      /** Where the message was readable, so that the answer can name it. */
      readonly idToken: Uint8Array | undefined
    }

export type MessageFault = 'NOT_JSON' | 'NOT_JSON_RPC' | 'METHOD_SURROGATE' | 'METHOD_TOO_LONG'

/** Never throws because of what the octets are. A batch is ok; its elements are read one by one (`splitBatch`). */
export function readMessage(octets: Uint8Array, options: ScanOptions = {}): MessageReading {
  let message: ScannedMessage
  try {
    message = scanMessage(octets, options)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    const fault = error.code === 'JSON' ? 'NOT_JSON' : 'NOT_JSON_RPC'
    return { ok: false, fault, reason: error.message, idToken: undefined }
  }
  switch (message.method === undefined ? undefined : methodFault(message.method)) {
    case 'surrogate':
      return { ok: false, fault: 'METHOD_SURROGATE', reason: 'method holds a lone surrogate', idToken: message.idToken }
    case 'tooLong':
      return {
        ok: false,
        fault: 'METHOD_TOO_LONG',
        reason: 'method has more than 255 octets',
        idToken: message.idToken,
      }
    default:
      return { ok: true, message }
  }
}
