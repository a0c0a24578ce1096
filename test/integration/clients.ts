import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The published client of the first generation, connected. */
export async function legacyClient(url: string): Promise<LegacyClient> {
  const client = new LegacyClient({ name: 'legacy', version: '1' })
  await client.connect(new LegacyTransport(new URL(url)))
  return client
}

/** The published client of the second one. `auto` probes and falls back by itself. */
export async function modernClient(url: string, mode: 'auto' | { pin: string } = 'auto'): Promise<ModernClient> {
  const client = new ModernClient({ name: 'modern', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new ModernTransport(new URL(url)))
  return client
}

export type AnyClient = LegacyClient | ModernClient

/** The first text of a tool's answer. */
export async function callText(client: AnyClient, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = (await client.callTool({ name, arguments: args })) as { content?: { text?: string }[] }
  return result.content?.[0]?.text ?? ''
}

const MODERN = '2026-07-28'
export const PIN_MODERN = { pin: MODERN }

let ids = 0

/** A modern `tools/call` as octets, with the headers that must go with it. */
export function modernCall(name: string, args: object, id: number | string | { raw: string } = ++ids) {
  const { body, headers } = modernRequest('tools/call', { name, arguments: args }, id)
  return { body, headers: { ...headers, 'mcp-name': name } }
}

/** The same of any request. */
export function modernRequest(method: string, params: object, id: number | string | { raw: string } = ++ids) {
  const idText = typeof id === 'object' ? id.raw : JSON.stringify(id)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    body: `{"jsonrpc":"2.0","id":${idText},"method":"${method}","params":${JSON.stringify({ ...params, _meta })}}`,
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method },
  }
}
