/** `agent.ts` with the first generation of the SDK. */
import { readIdentityFile } from '@causeway/npamp/crypto/node'
import { connectMcp } from '@causeway/npamp/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'

const [address = '', relay = '', target = '', keyFile = ''] = process.argv.slice(2)

const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(await connectMcp({ address, peer: relay, target, identity: await readIdentityFile(keyFile) }))

const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello from the first generation' } })
console.log('answer:', content)

await client.close()
