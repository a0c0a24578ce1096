import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { LAUNCHER } from '../../fixtures/connect/launcher.ts'
import { closed } from '../clean-up.ts'

/** Hosts on the published SDKs, each with `causeway-connect` as its stdio server; closed after the test. */

const command = (node: string, url: string) => ({ command: node, args: [LAUNCHER, url], stderr: 'ignore' as const })

/** The first generation, with everything that a server may ask. */
export async function legacyHost(url: string, node = process.execPath): Promise<LegacyClient> {
  const client = new LegacyClient(
    { name: 'host', version: '1' },
    { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } },
  )
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'sampled here' },
  }))
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///r', name: 'the root' }] }))
  await closed(client)
  await client.connect(new LegacyStdio(command(node, url)))
  return client
}

export async function modernHost(
  url: string,
  mode: 'auto' | { pin: string },
  node = process.execPath,
): Promise<ModernClient> {
  const client = new ModernClient({ name: 'host', version: '1' }, { versionNegotiation: { mode } })
  await closed(client)
  await client.connect(new ModernStdio(command(node, url)))
  return client
}
