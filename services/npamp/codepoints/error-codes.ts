/** Codes of an all-channel ERROR body, ours (digest 01 section 9.3). */
export const ERROR_CODE = {
  PROTOCOL_VIOLATION: 1,
  UNKNOWN_FRAME_TYPE: 2,
  UNSUPPORTED_FLAG: 3,
  TOO_LARGE: 4,
  FLOW_CONTROL: 5,
  KEY_UPDATE: 6,
  RATCHET: 7,
  DUPLICATE_CORRELATION: 8,
  INTERNAL: 9,
  CHANNEL_NOT_USABLE: 10,
} as const
export type ErrorCode = (typeof ERROR_CODE)[keyof typeof ERROR_CODE]
