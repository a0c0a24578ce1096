/**
 * An agent that reaches an MCP server behind a relay, without a relay of its own.
 *
 *   node agent.ts npamp://HOST:PORT RELAY_HANDLE TARGET KEY_FILE
 */
import { readIdentityFile } from '@causeway/npamp/crypto/node'
import { connectMcp } from '@causeway/npamp/sdk'
import { Client } from '@modelcontextprotocol/client'

const [address = '', relay = '', target = '', keyFile = ''] = process.argv.slice(2)

const transport = await connectMcp({ address, peer: relay, target, identity: await readIdentityFile(keyFile) })
const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(transport)

const { tools } = await client.listTools()
console.log(`tools: ${tools.map((tool) => tool.name).join(', ')}`)
const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello from the agent' } })
console.log('answer:', content)

await client.close()
