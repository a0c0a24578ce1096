/** The public entry of the protocol core: no Node module, no clock, no randomness of its own. */
export * from './association/contract.ts'
export * from './bridge/contract.ts'
export { idKey, isNullId, sameId } from './bridge/jsonrpc/id.ts'
export {
  arrayElements,
  eachMember,
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
export * from './codepoints/profiles.ts'
export * from './codepoints/suites.ts'
export * from './crypto/provider.ts'
export * from './errors.ts'
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
export type * from './transports/contract.ts'
