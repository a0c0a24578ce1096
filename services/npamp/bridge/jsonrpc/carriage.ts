import { MalformedError } from '../../errors.ts'
import type { CarriageRules } from '../carriage-rules.ts'
import { CONTENT_TYPE } from '../contract.ts'
import { isNullId, sameId } from './id.ts'
import { methodFault } from './method.ts'
import { notJsonRpc, type ScannedMessage, type ScanOptions, scanMessage } from './scan.ts'

/** JSON-RPC 2.0, one object per frame, octet for octet (digest 04 section 10). */
export const JSONRPC_CARRIAGE: CarriageRules = {
  contentType: CONTENT_TYPE.JSON, // RPC-002

  outgoingRequest(octets, message, options) {
    const { text, method, idToken } = message ?? scanMessage(octets, options)
    if (method === undefined || idToken === undefined) throw notJsonRpc('the message is no request')
    return { foreign: text, method: envelopeMethod(method), idToken }
  },

  outgoingNotification(octets, message, options) {
    const { shape, text, method } = message ?? scanMessage(octets, options)
    // RPC-019
    if (shape !== 'notification' || method === undefined) throw notJsonRpc('the message is no notification')
    return { foreign: text, method: envelopeMethod(method) }
  },

  outgoingReply(kind, octets, message, requestId, options) {
    const reply = message ?? scanMessage(octets, options)
    checkReply(kind, reply, requestId)
    return reply.text
  },

  incomingRequest(foreign, method, options) {
    const message = readable(foreign, options)
    if (message === undefined) return undefined
    if (message.shape !== 'request') throw notJsonRpc('a REQUEST frame carries no request')
    checkMethod(method, message)
    return message
  },

  incomingNotification(foreign, method, options) {
    const message = scanMessage(foreign, options)
    if (message.shape !== 'notification') throw notJsonRpc('a NOTIFY frame carries no notification')
    checkMethod(method, message)
    return message
  },

  incomingReply(kind, foreign, requestId, options) {
    const message = scanMessage(foreign, options)
    checkReply(kind, message, requestId)
    return message
  },
}

/** RPC-011, RPC-012. An error may have id null or none where the endpoint could not read the request's (RPC-027). */
function checkReply(kind: 'result' | 'error', reply: ScannedMessage, requestId: Uint8Array | undefined): void {
  if (reply.shape !== kind) throw notJsonRpc(`the message is no ${kind}`)
  const { idToken } = reply
  if (kind === 'error' && (idToken === undefined || isNullId(idToken))) return
  if (idToken === undefined || requestId === undefined || !sameId(idToken, requestId))
    throw notJsonRpc('the id of the reply is not that of its request')
}

/** RPC-007 */
function checkMethod(method: string, message: ScannedMessage): void {
  if (message.method !== method) throw notJsonRpc('the method differs from that of the envelope')
}

function envelopeMethod(method: string): string {
  switch (methodFault(method)) {
    case 'surrogate':
      throw notJsonRpc('method holds a lone surrogate')
    case 'tooLong':
      throw notJsonRpc('method has more than 255 octets')
    case undefined:
      return method
  }
}

/** What is not JSON at all is no fault of the peer's envelope: its endpoint answers -32700 (digest 04 section 10). */
function readable(foreign: Uint8Array, options: ScanOptions): ScannedMessage | undefined {
  try {
    return scanMessage(foreign, options)
  } catch (error) {
    if (error instanceof MalformedError && error.code === 'JSON') return undefined
    throw error
  }
}
