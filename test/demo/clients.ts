import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import packageFile from '../package.json' with { type: 'json' }

/** A published MCP client, as far as the demo uses it. */
export interface DemoClient {
  readonly generation: 'legacy' | 'modern'
  /** Package and version. */
  readonly software: string
  connect(url: string): Promise<void>
  /** The revision that it speaks with this server. */
  revision(): string
  listTools(): Promise<string[]>
  /** The text that the tool answered; progress notifications are counted. */
  callTool(name: string, args: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
  readonly progress: number
}

const { dependencies } = packageFile

export function legacyClient(): DemoClient {
  const client = new LegacyClient({ name: 'causeway-demo-legacy', version: '1.0.0' })
  let transport: LegacyTransport | undefined
  return {
    generation: 'legacy',
    software: `@modelcontextprotocol/sdk ${dependencies['@modelcontextprotocol/sdk']}`,
    async connect(url) {
      transport = new LegacyTransport(new URL(url))
      await client.connect(transport)
    },
    revision: () => transport?.protocolVersion ?? '',
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) =>
      answered((onprogress) => client.callTool({ name, arguments: args }, undefined, { onprogress })),
    close: () => client.close(),
  }
}

export function modernClient(): DemoClient {
  const client = new ModernClient(
    { name: 'causeway-demo-modern', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  return {
    generation: 'modern',
    software: `@modelcontextprotocol/client ${dependencies['@modelcontextprotocol/client']}`,
    connect: (url) => client.connect(new ModernTransport(new URL(url))),
    revision: () => client.getNegotiatedProtocolVersion() ?? '',
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: (name, args) => answered((onprogress) => client.callTool({ name, arguments: args }, { onprogress })),
    close: () => client.close(),
  }
}

async function answered(call: (onprogress: () => void) => Promise<unknown>): Promise<ToolAnswer> {
  let progress = 0
  const result = (await call(() => {
    progress += 1
  })) as { content?: { text?: string }[]; isError?: boolean }
  const text = result.content?.map((part) => part.text ?? '').join('\n') ?? ''
  return { text, isError: result.isError === true, progress }
}
