import { type KubeCause, KubeError, type KubeErrorCode } from './kube-error.ts'

/** What is read of a `Status` object (apimachinery meta/v1): every member may be missing or of another type. */
interface StatusFields {
  readonly message: string
  readonly reason: string
  readonly code: number
  readonly retryAfterSeconds: number | undefined
  readonly causes: readonly KubeCause[]
}

const MAX_CAUSES = 64
const MAX_MESSAGE_CHARS = 4_096

/**
 * The error that an answer other than 2xx means.
 * @param what the request in words, e.g. `get secrets team-a/x`
 * @param httpStatus 0 for a Status that came inside a watch
 * @param body the parsed body, or undefined when it was no JSON
 */
export function errorOfStatus(what: string, httpStatus: number, body: unknown, retryAfterHeader?: string): KubeError {
  const status = fieldsOf(body)
  const code = httpStatus === 0 ? status.code : httpStatus
  const seconds = status.retryAfterSeconds ?? secondsOf(retryAfterHeader)
  return new KubeError(codeOf(code, status), `${what}: ${status.message === '' ? `HTTP ${code}` : status.message}`, {
    status: code,
    reason: status.reason,
    causes: status.causes,
    ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }),
  })
}

function codeOf(status: number, { reason, causes }: StatusFields): KubeErrorCode {
  // A watch from a version that the server has not seen: its store went back, only a list says where it is now.
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return 'Expired'
  switch (status) {
    case 401:
      return 'Unauthorized'
    case 403:
      return 'Forbidden'
    case 404:
      return 'NotFound'
    case 409:
      return reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict'
    case 410:
      return 'Expired'
    case 413:
      return 'TooLarge'
    case 422:
      return 'Invalid'
    case 429:
      return 'TooManyRequests'
    case 504:
      return 'Timeout'
    default:
      return status >= 500 ? 'ServerError' : 'Rejected'
  }
}

function fieldsOf(body: unknown): StatusFields {
  const status = recordOf(body)
  const details = recordOf(status.details)
  const causes = Array.isArray(details.causes) ? details.causes.slice(0, MAX_CAUSES).map(causeOf) : []
  return {
    message: textOf(status.message).slice(0, MAX_MESSAGE_CHARS),
    reason: textOf(status.reason),
    code: typeof status.code === 'number' ? status.code : 500,
    retryAfterSeconds: typeof details.retryAfterSeconds === 'number' ? details.retryAfterSeconds : undefined,
    causes,
  }
}

function causeOf(value: unknown): KubeCause {
  const cause = recordOf(value)
  const field = textOf(cause.field)
  return {
    reason: textOf(cause.reason),
    message: textOf(cause.message),
    ...(field === '' ? {} : { field }),
  }
}

function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) : undefined
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
