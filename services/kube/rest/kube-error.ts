/** Why a request failed: a closed set that callers switch on. */
export type KubeErrorCode =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Unauthorized'
  | 'Invalid'
  | 'TooManyRequests'
  | 'Rejected'
  | 'ServerError'
  | 'Timeout'
  | 'Unreachable'
  | 'Aborted'
  | 'BadResponse'
  | 'TooLarge'
  | 'Credentials'
  | 'NotLeader'

/** One cause out of a Status: for `Invalid` and for conflicts of field managers, `field` says where. */
export interface KubeCause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

export interface KubeErrorDetail {
  /** HTTP status, or the `code` of a Status inside a watch; 0 when no answer came. */
  readonly status?: number
  /** `reason` of the API server's Status, e.g. `NamespaceTerminating`. */
  readonly reason?: string
  readonly causes?: readonly KubeCause[]
  /** How long the API server asks to wait. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/** Every failure of this package. The message never contains a credential. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly code: KubeErrorCode
  readonly status: number
  readonly reason: string
  readonly causes: readonly KubeCause[]
  readonly retryAfterMs: number | undefined

  constructor(code: KubeErrorCode, message: string, detail: KubeErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.status = detail.status ?? 0
    this.reason = detail.reason ?? ''
    this.causes = detail.causes ?? []
    this.retryAfterMs = detail.retryAfterMs
  }
}

/** Whether `error` is a `KubeError` with one of the codes. */
export function isKubeError(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code))
}

/** Whether the same request may succeed later without anybody changing it. */
export function isTransient(error: unknown): boolean {
  return isKubeError(error, 'Conflict', 'TooManyRequests', 'ServerError', 'Timeout', 'Unreachable', 'Expired')
}
