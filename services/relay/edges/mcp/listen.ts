import type { McpEdge, McpEdgeOptions } from './contract.ts'

/** Opens the listener; rejects with the system's error when the address cannot be had. */
export async function listenMcp(options: McpEdgeOptions): Promise<McpEdge> {
  throw new Error(`not listening on ${options.host}`)
}
