import { CLOSE_CODE, type CloseCode } from '../codepoints/close-codes.ts'
import { ERROR_CODE, type ErrorCode } from '../codepoints/error-codes.ts'
import { ClosedError, NpampError } from '../errors.ts'

/** What a peer is told of a fault that ends the association; without `close` it is told nothing. */
export interface FaultResponse {
  readonly error?: ErrorCode
  readonly close?: CloseCode
}

const SILENT: FaultResponse = {}
const PROTOCOL_ERROR: FaultResponse = { close: CLOSE_CODE.PROTOCOL_ERROR }
const POLICY: FaultResponse = { close: CLOSE_CODE.POLICY }

/** By error code; whatever does not stand here is a protocol error. The only place where wire codes are chosen. */
const RESPONSES: Readonly<Record<string, FaultResponse>> = {
  // Digest 03 section 4: no answer to what does not authenticate.
  TAG: SILENT,
  TRANSPORT_LOST: SILENT,
  DEAD: SILENT,
  WIPED: SILENT,
  UNSUPPORTED_FLAG: { error: ERROR_CODE.UNSUPPORTED_FLAG, close: CLOSE_CODE.PROTOCOL_ERROR },
  KEY_UPDATE: { error: ERROR_CODE.KEY_UPDATE, close: CLOSE_CODE.PROTOCOL_ERROR },
  RATCHET: { error: ERROR_CODE.RATCHET, close: CLOSE_CODE.PROTOCOL_ERROR },
  REKEM_RATE: { error: ERROR_CODE.RATCHET, close: CLOSE_CODE.POLICY },
  LINK: { error: ERROR_CODE.PROTOCOL_VIOLATION, close: CLOSE_CODE.PROTOCOL_ERROR },
  RATE: POLICY,
  STALLED: POLICY,
  KEY_LIMIT: { close: CLOSE_CODE.KEY_LIMIT },
  KEY_EXHAUSTED: { close: CLOSE_CODE.KEY_LIMIT },
  INTERNAL: { close: CLOSE_CODE.INTERNAL },
}

export function faultResponse(error: NpampError): FaultResponse {
  if (error.family === 'misuse') return { close: CLOSE_CODE.INTERNAL }
  return RESPONSES[error.code] ?? PROTOCOL_ERROR
}

/** Anything else that was thrown is a defect of ours: it ends one association, with its cause kept for the log. */
export function asNpampError(thrown: unknown): NpampError {
  if (thrown instanceof NpampError) return thrown
  const error = new ClosedError('INTERNAL', 'an internal defect ended the association')
  error.cause = thrown
  return error
}
