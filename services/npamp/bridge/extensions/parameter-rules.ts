import type { ServiceParameters } from '../contract.ts'

/** Which service parameters may cross (CARRIAGE section 1); which of a request are used its backend says. */

const NEVER: ReadonlySet<string> = new Set([
  // Credentials and identity: those of one leg are never passed to another.
  'authorization',
  'cookie',
  'cookie2',
  'set-cookie',
  'host',
  'mcp-session-id',
  // It stands in the messages themselves and in no field of ours (MCP-022).
  'mcp-protocol-version',
  // Hop-by-hop.
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** No header of HTTP can hold these, whatever a peer puts here. */
const UNSAFE_VALUE = /[\0\r\n]/

export interface SiftedParameters {
  readonly kept: ServiceParameters
  /** How many were left out, to be counted. */
  readonly dropped: number
}

/** Takes out what never crosses, on sending and on receipt. */
export function withoutForbidden(parameters: ServiceParameters): SiftedParameters {
  return sift(parameters, (name, value) => !isForbiddenParameter(name) && !UNSAFE_VALUE.test(value))
}

/** `name` in lower case. */
export function isForbiddenParameter(name: string): boolean {
  return NEVER.has(name) || name.startsWith('content-')
}

/** What crosses on a reply and may be used there: `:status` and `retry-after`, in the forms that HTTP knows. */
export function replyParameters(parameters: ServiceParameters): SiftedParameters {
  return sift(parameters, (name, value) =>
    name === STATUS ? STATUS_VALUE.test(value) : name === 'retry-after' && RETRY_AFTER_VALUE.test(value),
  )
}

export const STATUS = ':status'
const STATUS_VALUE = /^[2-5]\d\d$/
/** Seconds or a date. */
const RETRY_AFTER_VALUE = /^[\x20-\x7e]{1,64}$/

/** The backend's HTTP status of a reply; undefined where none crossed. */
export function statusOf(parameters: ServiceParameters): number | undefined {
  const status = parameters.get(STATUS)
  return status !== undefined && STATUS_VALUE.test(status) ? Number(status) : undefined
}

function sift(parameters: ServiceParameters, keep: (name: string, value: string) => boolean): SiftedParameters {
  if (parameters.size === 0) return { kept: parameters, dropped: 0 }
  const kept = new Map<string, string>()
  for (const [name, value] of parameters) if (keep(name, value)) kept.set(name, value)
  return { kept, dropped: parameters.size - kept.size }
}
