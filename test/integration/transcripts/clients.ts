import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { PIN_MODERN } from '../clients.ts'

/** Everything that a legacy client does in a session, one thing after the other. */
export async function legacySession(url: string): Promise<void> {
  const client = new Client(
    { name: 'transcript', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } } },
  )
  const rootsAsked = new Promise<void>((resolve) => {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      resolve()
      return { roots: [{ uri: 'file:///one', name: 'one' }] }
    })
  })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled' },
  }))
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  await rootsAsked
  await client.listTools()
  await client.listPrompts()
  await client.listResources()
  await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
  await client.callTool({ name: 'get-sum', arguments: { a: 'x' } }).catch(() => {})
  await client.callTool({ name: 'no-such-tool', arguments: {} }).catch(() => {})
  await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }, undefined, {
    onprogress: () => {},
  })
  await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'say', maxTokens: 10 } })
  await client.callTool({ name: 'trigger-elicitation-request', arguments: {} })
  await client.ping()
  await transport.terminateSession()
  await client.close()
}

/** Everything that a modern client does, one thing after the other. */
export async function modernCalls(url: string): Promise<void> {
  const client = new ModernClient({ name: 'transcript', version: '1' }, { versionNegotiation: { mode: PIN_MODERN } })
  await client.connect(new ModernTransport(new URL(url)))
  await client.listTools()
  await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
  await client.callTool({ name: 'fail', arguments: {} })
  await client.callTool({ name: 'no-such-tool', arguments: {} }).catch(() => {})
  await client.callTool({ name: 'add', arguments: { a: 'x' } }).catch(() => {})
  await client.callTool({ name: 'progress', arguments: { steps: 3 } }, { onprogress: () => {} })
  await client.close()
}
