import { findMember, jsonKind, NpampError, type ScannedMessage, scanMessage, stringValue } from '@causeway/npamp'
import type { CallReply } from '../../exchanges/contract.ts'

/**
 * The revision that a result of `initialize` names. Read, never changed (MCP-016): what the edge owes the client in HTTP
 * depends on it. Undefined where there is none; such a session is served as one of the oldest revision.
 */
export function revisionOf(reply: CallReply): string | undefined {
  const message = reply.message ?? scan(reply.octets)
  const span = message?.result && findMember(message.text, message.result, 'protocolVersion')
  return message && span && jsonKind(message.text, span) === 'string' ? stringValue(message.text, span) : undefined
}

function scan(octets: Uint8Array): ScannedMessage | undefined {
  try {
    return scanMessage(octets)
  } catch (error) {
    if (error instanceof NpampError) return undefined
    throw error
  }
}
