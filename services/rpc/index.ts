/** What relays and the control plane say to each other, and the ways to say it: gRPC, or within one process. */
export type * from './channel/contract.ts'
export { type RpcCode, RpcError } from './channel/rpc-error.ts'
export * from './generated/causeway/config/v1/backend_pb.ts'
export * from './generated/causeway/config/v1/config_pb.ts'
export * from './generated/causeway/config/v1/file_pb.ts'
export * from './generated/causeway/config/v1/peer_pb.ts'
export * from './generated/causeway/config/v1/position_pb.ts'
export * from './generated/causeway/config/v1/relay_pb.ts'
export * from './generated/causeway/config/v1/route_pb.ts'
export * from './generated/causeway/status/v1/forward_pb.ts'
export * from './generated/causeway/status/v1/instance_pb.ts'
export { decodeBody, encodeBody, versionOf } from './messages/body.ts'
export {
  objectKindOf,
  RESOURCE_KINDS,
  type ResourceKindName,
  type ResourceMessage,
  type ResourceMessages,
  resourceKindNumber,
  resourceKindOf,
} from './messages/resource-kinds.ts'
