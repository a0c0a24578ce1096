/** `node examples/embedded-server/run.ts`: an SDK client over HTTP -> relay `edge` -> a server without a relay. */
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { withStage } from '../stage.ts'

await withStage(async (stage) => {
  const server = await stage.identity('server')
  const edge = await stage.identity('edge')
  const script = fileURLToPath(new URL('server.ts', import.meta.url))
  const address = await stage.start(script, server.keyFile, edge.handle)
  const relay = await stage.relay(
    'edge',
    `
kind: MeshRelay
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: edge }
spec:
  identity: { algorithm: Ed25519, keyFile: edge.key }
  listeners: { mcp: { host: 127.0.0.1, port: 0 } }
---
kind: MeshPeer
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: server }
spec:
  relayRefs: [{ name: edge }]
  addresses: ["${address}"]
  identity: { handles: ["${server.handle}"] }
---
kind: MeshRoute
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: greeter }
spec:
  relayRefs: [{ name: edge }]
  path: /greeter/mcp
  transparent: { target: { peer: { name: server, target: greeter } } }
`,
  )
  const { host, port } = relay.addresses.mcp
  const client = new Client({ name: 'client', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://${host}:${port}/greeter/mcp`)))
  const { content } = await client.callTool({ name: 'greet', arguments: { name: 'mesh' } })
  console.log('answer:', content)
  await client.close()
})
