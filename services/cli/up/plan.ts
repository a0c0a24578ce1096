import type { Resources } from '@causeway/mesh-api'
import { chooseRelays } from './choose-relays.ts'
import type { McpServers } from './mcp-json/servers.ts'

/** Where the configuration comes from. */
export type UpSource =
  | { readonly files: readonly string[]; readonly relay?: string }
  | { readonly mcpJson: string; readonly port: number }

/** What runs, and, from an `mcpServers` file, what it serves. */
export interface Plan {
  readonly resources: Resources
  readonly relayNames: readonly string[]
  readonly servers: McpServers | undefined
}

/** `relay`: only this one of them. A refusal says in words why there is nothing to run. */
export function planOf(
  resources: Resources,
  relay: string | undefined,
  servers: McpServers | undefined,
): Plan | { readonly refusal: string } {
  const choice = chooseRelays(resources, relay)
  return 'refusal' in choice ? choice : { resources, relayNames: choice.relayNames, servers }
}
