/** What relays and the control plane say to each other, and the ways to say it: gRPC, or within one process. */
export { type PeerCertificate, readPeerCertificate } from './certificates/peer-certificate.ts'
export { readTls, type TlsFiles, TlsFilesError } from './certificates/read-tls.ts'
export { relayIdentityOf, relayUidUri, relayUri } from './certificates/relay-identity.ts'
export type { TlsMaterial } from './certificates/tls-material.ts'
export { type TlsWatchOptions, type WatchedTls, watchTls } from './certificates/watch-tls.ts'
export type * from './channel/contract.ts'
export { inProcessConfigChannel } from './channel/in-process.ts'
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
export { type GrpcChannelOptions, grpcConfigChannel, grpcStatusChannel } from './grpc/channel.ts'
export { type GrpcServer, type GrpcServerOptions, startGrpcServer } from './grpc/server.ts'
export { decodeBody, encodeBody, versionOf } from './messages/body.ts'
export { MAX_BODY_OCTETS, MAX_MESSAGE_OCTETS, MAX_RESOURCES } from './messages/limits.ts'
export {
  objectKindOf,
  RESOURCE_KINDS,
  type ResourceKindName,
  type ResourceMessage,
  type ResourceMessages,
  resourceKindNumber,
  resourceKindOf,
} from './messages/resource-kinds.ts'
