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

/** What a person would notice first: tools, their answers, progress, and that the server may ask back. */
export async function useEverything(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('echo')
  expect(await callText(client, 'echo', { message: 'hello' })).toBe('Echo: hello')
  const seen: number[] = []
  await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } }, undefined, {
    onprogress: ({ progress }) => seen.push(progress),
  })
  expect(seen).toEqual([1, 2, 3])
  expect(await callText(client, 'trigger-sampling-request', { prompt: 'say', maxTokens: 10 })).toContain(
    'sampled by the test',
  )
}
