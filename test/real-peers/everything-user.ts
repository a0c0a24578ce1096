import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CreateMessageRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'vitest'
import { callText } from '../integration/clients.ts'

/** A client of server-everything that offers what the server asks for. */
export async function everythingUser(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'user', version: '1' }, { capabilities: { sampling: {}, roots: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled by the test' },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///one', name: 'one' }] }))
  await client.connect(transport)
  return client
}

export interface Used {
  readonly tools: readonly string[]
  readonly echo: string
  readonly progress: readonly number[]
  /** What the server made of the client's answer to its own question. */
  readonly sampled: string
}

/** What a person would notice first: tools, their answers, progress, and that the server may ask back. */
export async function useEverything(client: Client): Promise<Used> {
  const { tools } = await client.listTools()
  const echo = await callText(client, 'echo', { message: 'hello' })
  const progress: number[] = []
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }
  await client.callTool(long, undefined, { onprogress: (told) => progress.push(told.progress) })
  const sampled = await callText(client, 'trigger-sampling-request', { prompt: 'say', maxTokens: 10 })
  return { tools: tools.map(({ name }) => name), echo, progress, sampled }
}

/** As the server itself would serve. */
export function expectServed(used: Used): void {
  expect(used.tools).toContain('trigger-sampling-request')
  expect(used.echo).toBe('Echo: hello')
  expect(used.progress).toEqual([1, 2, 3])
  expect(used.sampled).toContain('sampled by the test')
}
