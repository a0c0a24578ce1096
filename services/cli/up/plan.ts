import type { Resources } from '@causeway/mesh-api'
import type { McpServers } from './mcp-json/servers.ts'

/** Where the configuration comes from. */
export type UpSource =
  | { readonly files: readonly string[]; readonly relay?: string }
  | { readonly mcpJson: string; readonly port: number }

/** What is started, and, from an `mcpServers` file, what it serves. */
export interface Plan {
  readonly resources: Resources
  readonly relayNames: readonly string[]
  readonly servers?: McpServers
}
