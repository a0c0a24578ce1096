/** Digest 01 section 7.1. Types from 0x8000 on that a receiver does not know make it reject the frame (WIRE-015). */
export const TLV = {
  PROFILE_OFFER: 0x0001,
  PROFILE_SELECT: 0x0002,
  KEM_OFFER: 0x0003,
  KEM_SELECT: 0x0004,
  SIG_OFFER: 0x0005,
  SIG_SELECT: 0x0006,
  KEM_SHARE: 0x0007,
  KEM_CIPHERTEXT: 0x0008,
  IDENTITY_KEY: 0x0009,
  CERT_VERIFY: 0x000a,
  FINISHED: 0x000b,
  AEAD_OFFER: 0x000c,
  AEAD_SELECT: 0x000d,
  /** Companion reservations (WIRE-041); 0x0011 is provisional, 0x0014 has no defined use. */
  BRIDGE_ENVELOPE: 0x0010,
  STREAM_CONTROL: 0x0011,
  ANOMALY_CHARGE: 0x0012,
  SAFETY_LABEL: 0x0013,
  HANDSHAKE_RESERVED: 0x0014,
  PATH_CHALLENGE: 0x0015,
  PATH_RESPONSE: 0x0016,
  KEY_UPDATE_MARKER: 0x0017,
  PROTECTION_MODE: 0x0018,
  RATCHET_GENERATION: 0x0019,
  /** Extensions between Causeway relays (CARRIAGE section 1), only on Bridge and only when announced. */
  TRACE_CONTEXT: 0x4351,
  SERVICE_PARAMETERS: 0x4352,
  RELATED_EXCHANGE: 0x4353,
  DOCUMENT_BINDING: 0x4354,
  ROUTE_CONTEXT: 0x4355,
  DELIVERY_OUTCOME: 0x4356,
  PRINCIPAL_ASSERTION: 0x4357,
  AUDIT_HEAD: 0x4358,
  APPROVAL: 0x4359,
} as const

const FIRST_EXTENSION_TLV = TLV.TRACE_CONTEXT
const LAST_EXTENSION_TLV = TLV.APPROVAL

const KNOWN: ReadonlySet<number> = new Set(Object.values(TLV))

/** Whether the registry has a row for this type. */
export function isKnownTlv(type: number): boolean {
  return KNOWN.has(type)
}

/** Whether key 2 of the HELLO extension map may list this type: 0x0011 and 0x4351-0x4359 (CARRIAGE section 1). */
export function isAnnounceableTlv(type: number): boolean {
  return type === TLV.STREAM_CONTROL || (type >= FIRST_EXTENSION_TLV && type <= LAST_EXTENSION_TLV)
}

/** Unknown types with this bit set reject the whole frame (WIRE-015); without it they are skipped (WIRE-014). */
export function isCriticalTlv(type: number): boolean {
  return (type & 0x8000) !== 0
}

const RESERVED_COMPANION: readonly number[] = [TLV.BRIDGE_ENVELOPE, TLV.SAFETY_LABEL, TLV.HANDSHAKE_RESERVED]

/** 0x0010, 0x0013, 0x0014: never to be given another meaning (WIRE-041). */
export function isCompanionReservedTlv(type: number): boolean {
  return RESERVED_COMPANION.includes(type)
}
