/** MCP over N-PAMP for agents and servers without a relay beside them: transports for the official TypeScript SDKs. Needs Node. */
export type { SessionInfo } from './acceptor.ts'
export type { OwnOptions } from './association-options.ts'
export { type ConnectMcpOptions, type ConnectPeerOptions, connectMcp, connectPeer, type McpPeer } from './connect.ts'
export { type ListenMcpOptions, listenMcp, type McpListener, type ServeMcpOptions } from './listen.ts'
export type { JsonRpcMessage, McpTransport, RequestId, SendOptions } from './transport.ts'
