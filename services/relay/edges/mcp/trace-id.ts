import type { IncomingHttpHeaders } from 'node:http'
import { findAt, jsonKind, type ScannedMessage, stringValue } from '@causeway/npamp'

/** The trace that a request belongs to, by the header `traceparent` or the message's `_meta`; for errors and logs. */
export function traceIdOf(headers: IncomingHttpHeaders, message: ScannedMessage | undefined): string | undefined {
  return traceIdIn(headers.traceparent) ?? (message && traceIdIn(traceparentIn(message)))
}

function traceparentIn(message: ScannedMessage): string | undefined {
  const value = message.params && findAt(message.text, message.params, '_meta', 'traceparent')
  return value && jsonKind(message.text, value) === 'string' ? stringValue(message.text, value) : undefined
}

/** W3C Trace Context section 3.2: all zeros is no id. */
function traceIdIn(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  const id = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1]
  return id === undefined || /^0+$/.test(id) ? undefined : id
}
