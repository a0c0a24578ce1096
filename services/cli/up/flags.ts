import type { LogLevel } from '@causeway/telemetry'
import { InvalidArgumentError } from 'commander'
import type { UpSource } from './plan.ts'

/** The options of `causeway up`, as commander gives them. */
export interface UpFlags {
  readonly relay?: string
  readonly mcpJson?: string
  readonly port?: number
  readonly admin?: AdminAddress
  readonly logLevel: LogLevel
  readonly json?: true
}

/** Where the state of the mesh is answered, for `causeway get`, `describe` and `check`. */
export interface AdminAddress {
  readonly host: string
  readonly port: number
}

/** Where an `mcpServers` file is served unless told otherwise: always the same, so that clients find it again. */
export const MCP_JSON_PORT = 7007

export function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

export function parseAdmin(text: string): AdminAddress {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:\s]+):([0-9]{1,5})$/.exec(text) ?? []
  if (host !== undefined && Number(port) <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
  throw new InvalidArgumentError('It must be host:port, such as 127.0.0.1:9090.')
}

/** What to start from, or why that is not clear. */
export function sourceOf(
  files: readonly string[],
  { relay, mcpJson, port }: Pick<UpFlags, 'relay' | 'mcpJson' | 'port'>,
): UpSource | string {
  if (mcpJson === undefined) {
    if (port !== undefined) return '--port belongs to --mcp-json; a configuration file names its own ports'
    if (files.length === 0) return 'nothing to start: name configuration files, or --mcp-json FILE'
    return { files, ...(relay === undefined ? {} : { relay }) }
  }
  if (files.length > 0) return '--mcp-json stands alone; configuration files describe their backends themselves'
  if (relay !== undefined) return '--relay belongs to configuration files; --mcp-json has one relay'
  return { mcpJson, port: port ?? MCP_JSON_PORT }
}
