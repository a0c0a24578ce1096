/** Codes of a CLOSE body, ours (digest 01 section 9.2). */
export const CLOSE_CODE = {
  NORMAL: 0,
  GOING_AWAY: 1,
  PROTOCOL_ERROR: 2,
  POLICY: 3,
  INTERNAL: 4,
  KEY_LIMIT: 5,
  IDLE: 6,
} as const
export type CloseCode = (typeof CLOSE_CODE)[keyof typeof CLOSE_CODE]
