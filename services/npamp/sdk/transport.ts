/** The id of a JSON-RPC request as the SDKs have it. */
export type RequestId = string | number

/** One JSON-RPC 2.0 message of either kind, parsed, as the SDKs exchange it with a transport. */
export interface JsonRpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId | undefined
  readonly method?: string | undefined
  readonly params?: object | undefined
  readonly result?: object | undefined
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
}

export interface SendOptions {
  /** The incoming request that the message belongs to. */
  readonly relatedRequestId?: RequestId | undefined
  /** What the SDK would say in HTTP headers; `mcp-name` and `mcp-param-*` cross. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * What both generations of the official TypeScript MCP SDKs call a `Transport`, by structure: neither is needed at run time.
 * The SDK sets the callbacks, then calls `start`.
 */
export interface McpTransport {
  start(): Promise<void>
  /**
   * Resolves once the message is queued for the peer: later while the send queue is full. Rejects with an NpampError once
   * the transport is closed. A request that fails otherwise is answered through `onmessage` with a JSON-RPC error that
   * carries `data.causeway` (CARRIAGE section 8).
   */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JsonRpcMessage) => void) | undefined
  /** Of the legacy era: the session's key in hex, from the moment that there is a session. */
  sessionId?: string | undefined
}
