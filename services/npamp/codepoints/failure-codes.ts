/**
 * Why a call has no answer of its server's: the JSON-RPC codes of CARRIAGE section 8 by the names that
 * `data.causeway.code` carries. Reason n of a DeliveryOutcome stands for -33110 - n.
 */
export const FAILURE_CODE = {
  NotDelivered: -33110,
  SafetyPolicy: -33111,
  ApprovalRequired: -33112,
  QuotaExceeded: -33113,
  ProtocolUnsupported: -33114,
  MethodUnsupported: -33115,
  AuditUnavailable: -33116,
  BackendAuthRequired: -33117,
  /** A quota too: 413 where HTTP is spoken. */
  TooLarge: -33113,
  /** Not delivered too: 404 where HTTP is spoken. */
  SessionLost: -33110,
} as const

export type FailureCode = keyof typeof FAILURE_CODE
