import { FAILURE_CODE, type FailureCode } from '@causeway/npamp'

/** Every error that the edge itself can answer with, by the name that `data.causeway.code` carries (CARRIAGE section 8). */
const EDGE_ERRORS = {
  // As a JSON-RPC endpoint.
  ParseError: { code: -32700, status: 400 },
  InvalidRequest: { code: -32600, status: 400 },
  MethodNotFound: { code: -32601, status: 404 },
  InvalidParams: { code: -32602, status: 400 },
  HeaderMismatch: { code: -32020, status: 400 },
  // As an HTTP endpoint; no era has codes for these.
  Forbidden: { code: -32600, status: 403 },
  NoRoute: { code: -32600, status: 404 },
  MethodNotAllowed: { code: -32600, status: 405 },
  NotAcceptable: { code: -32600, status: 406 },
  UnsupportedMediaType: { code: -32600, status: 415 },
  RequestTimeout: { code: -32600, status: 408 },
  ExpectationFailed: { code: -32600, status: 417 },
  HeadersTooLarge: { code: -32600, status: 431 },
  // Of an exchange.
  NotDelivered: { code: FAILURE_CODE.NotDelivered, status: 200 },
  SafetyPolicy: { code: FAILURE_CODE.SafetyPolicy, status: 200 },
  ApprovalRequired: { code: FAILURE_CODE.ApprovalRequired, status: 200 },
  QuotaExceeded: { code: FAILURE_CODE.QuotaExceeded, status: 200 },
  ProtocolUnsupported: { code: FAILURE_CODE.ProtocolUnsupported, status: 200 },
  MethodUnsupported: { code: FAILURE_CODE.MethodUnsupported, status: 200 },
  AuditUnavailable: { code: FAILURE_CODE.AuditUnavailable, status: 200 },
  BackendAuthRequired: { code: FAILURE_CODE.BackendAuthRequired, status: 200 },
  TooLarge: { code: FAILURE_CODE.TooLarge, status: 413 },
  SessionLost: { code: FAILURE_CODE.SessionLost, status: 404 },
} as const satisfies Readonly<Record<FailureCode | string, { readonly code: number; readonly status: number }>>

type EdgeErrorName = keyof typeof EDGE_ERRORS

export interface EdgeError {
  readonly name: EdgeErrorName
  /** A sentence for a person. */
  readonly message: string
  readonly delivery: 'not_sent' | 'unknown'
  /** Where the table's status does not fit. */
  readonly status?: number
  readonly hint?: string
  /** Value of Retry-After. */
  readonly retryAfter?: string
  /** Value of Allow. */
  readonly allow?: string
}

/** What makes an error findable in logs and traces. */
export interface ErrorContext {
  /** The id's raw token, never re-printed; absent where the request's id could not be read. */
  readonly idToken: Uint8Array | undefined
  /** UUIDv7. */
  readonly requestId: string
  readonly traceId: string | undefined
  /** Its address, for the log alone. */
  readonly client?: string | undefined
}

export function statusOf(error: EdgeError): number {
  return error.status ?? EDGE_ERRORS[error.name].status
}

/** The JSON-RPC error object, as octets. It is the edge's own, and `data.causeway` says so. */
export function errorBody(error: EdgeError, context: ErrorContext): Uint8Array {
  const body = JSON.stringify({
    code: EDGE_ERRORS[error.name].code,
    message: error.message,
    data: {
      causeway: {
        code: error.name,
        delivery: error.delivery,
        requestId: context.requestId,
        traceId: context.traceId,
        hint: error.hint,
      },
    },
  })
  return Buffer.concat([HEAD, context.idToken ?? NULL, MIDDLE, Buffer.from(body), TAIL])
}

const HEAD = Buffer.from('{"jsonrpc":"2.0","id":')
const NULL = Buffer.from('null')
const MIDDLE = Buffer.from(',"error":')
const TAIL = Buffer.from('}')
