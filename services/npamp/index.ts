/** The public entry of the protocol core: no Node module, no clock, no randomness of its own. */
export { Association } from './association/association.ts'
export * from './association/contract.ts'
export type { AssociationOptions, OwnExtensions, PeerSettings } from './association/options.ts'
export { Bridge } from './bridge/bridge.ts'
export * from './bridge/contract.ts'
export { correlates } from './bridge/correlation-ids.ts'
export { isFinal, messageKindOf } from './bridge/envelope.ts'
export type {
  BridgeCounters,
  BridgeEvent,
  CancelFate,
  DropReason,
  FailureInput,
  IncomingExchange,
  NotificationInput,
  OutgoingExchange,
  ReplyFate,
  ReplyInput,
  RequestInput,
} from './bridge/events.ts'
export { ANNOUNCED_TLV_TYPES } from './bridge/extensions/announced.ts'
export { isForbiddenParameter, STATUS, statusOf } from './bridge/extensions/parameter-rules.ts'
export { idKey, isNullId, sameId } from './bridge/jsonrpc/id.ts'
export {
  arrayElements,
  findAt,
  findMember,
  type JsonKind,
  jsonKind,
  jsonText,
  type Span,
  shortText,
  stringValue,
  type Utf8Check,
} from './bridge/jsonrpc/json-text.ts'
export { type MethodFault, methodFault } from './bridge/jsonrpc/method.ts'
export { type MessageFault, type MessageReading, readMessage } from './bridge/jsonrpc/read-message.ts'
export {
  type MessageShape,
  type ScannedMessage,
  type ScanOptions,
  scanMessage,
  splitBatch,
} from './bridge/jsonrpc/scan.ts'
export { decodePayload, encodePayload, type KnownTlvs, NO_EXTENSIONS, type PayloadParts } from './bridge/payload.ts'
export { decodeSafetyLabel, effectiveEffect, encodeSafetyLabel } from './bridge/safety-label.ts'
export type { BridgeOptions } from './bridge/state.ts'
export {
  CHANNEL,
  CHANNELS,
  type Channel,
  channelById,
  type DirectionClass,
  defaultChannels,
  enabledChannels,
  isGreaseChannel,
} from './codepoints/channels.ts'
export { ERROR_CODE, type ErrorCode } from './codepoints/error-codes.ts'
export { FAILURE_CODE, type FailureCode } from './codepoints/failure-codes.ts'
export {
  ALL_CHANNEL_FRAME,
  BRIDGE_FRAME,
  CONTROL_FRAME,
  type FrameBand,
  frameBand,
  frameTypeName,
  isApplicationType,
} from './codepoints/frame-types.ts'
export * from './codepoints/profiles.ts'
export {
  CARRIAGE_CLASS,
  type CarriageClass,
  carriageClassOf,
  checkCarriedProtocols,
  DEFAULT_PROTOCOLS,
  PROTOCOL,
  PROTOCOLS,
  type Protocol,
  type ProtocolRange,
  protocolById,
  protocolByName,
  protocolRange,
} from './codepoints/protocols.ts'
export * from './codepoints/suites.ts'
export { isKnownTlv, TLV } from './codepoints/tlv-types.ts'
export { type NobleOptions, nobleProvider } from './crypto/noble/index.ts'
export * from './crypto/provider.ts'
export {
  isPeerHandle,
  parsePeerHandle,
  peerHandle,
  requireClaimedHandle,
  samePeerHandle,
} from './discovery/peer-handle.ts'
export { decodeSpki, encodeSpki, PUBLIC_KEY_OCTETS, type PublicKey } from './discovery/public-key.ts'
export * from './errors.ts'
export type { ClientConfig, HandshakeConfig, ServerConfig } from './handshake/config.ts'
export type { IdentityPolicy } from './handshake/identity-policy.ts'
export { permitsKem } from './handshake/negotiate.ts'
export { type Successor, signSuccessor, type VerifiedSuccessor, verifySuccessor } from './identity/successor.ts'
export { hkdfExpandLabel } from './keys/expand-label.ts'
export { deriveNonce } from './keys/nonce.ts'
export {
  DIRECTION,
  type Direction,
  deriveTrafficMaterial,
  type TrafficContext,
  type TrafficMaterial,
} from './keys/traffic.ts'
export { CANCELLED_METHOD, cancelledNotification, cancelledRequestId } from './mappings/mcp/cancelled.ts'
export {
  effectOf,
  type LabelRule,
  MCP_NOTIFICATIONS,
  MCP_REQUESTS,
  type McpDirection,
  type McpMethod,
  mcpRequest,
  unlabelledEffectOf,
} from './mappings/mcp/effects.ts'
export { isContradictory, type ToolHints, toolEffect } from './mappings/mcp/tool-effect.ts'
export { ToolFacts } from './mappings/mcp/tool-facts.ts'
export { calledTool, type ListedTool, type ToolPage, toolPageOf } from './mappings/mcp/tool-list.ts'
export { KEY_LIMITS, type KeyBounds, type KeyLimits } from './record/key-limits.ts'
export type * from './transports/contract.ts'
export {
  CborFloat,
  type CborLimits,
  type CborMap,
  CborSimple,
  CborTag,
  type CborValue,
  decodeCbor,
  encodeCbor,
} from './wire/cbor.ts'
export { crc32c } from './wire/crc32c.ts'
export { Deframer, type DeframerOptions, MAX_FRAME_OCTETS, RawFrame } from './wire/deframer.ts'
export {
  AAD_OCTETS,
  decodeHeader,
  encodeHeader,
  FLAG,
  type FrameHeader,
  HEADER_OCTETS,
  TAG_OCTETS,
} from './wire/header.ts'
export { SESSION_END_REASON } from './wire/link.ts'
export { releaseOf } from './wire/octets.ts'
export { decodeExactTlvs, decodeTlvs, encodeTlvs, type Tlv } from './wire/tlv.ts'
