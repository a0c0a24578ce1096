/** `node examples/embedded-client/run.ts`: agents without a relay -> relay `tools` -> server-everything. */
import { fileURLToPath } from 'node:url'
import { withStage } from '../stage.ts'

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

await withStage(async (stage) => {
  const agent = await stage.identity('agent')
  const relay = await stage.relay(
    'tools',
    `
kind: MeshRelay
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: tools }
spec:
  identity: { algorithm: Ed25519, keyFile: tools.key }
  listeners: { npamp: { host: 127.0.0.1, port: 0 } }
---
kind: MeshPeer
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: agent }
spec:
  relayRefs: [{ name: tools }]
  identity: { handles: ["${agent.handle}"] }
  dial: never
---
kind: MeshBackend
apiVersion: mesh.causeway.dev/v1alpha1
metadata: { name: everything }
spec:
  relayRefs: [{ name: tools }]
  peers: [{ name: agent }]
  mcp: { stdio: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(everything)}, stdio] } }
`,
  )
  const { host, port } = relay.addresses.npamp
  for (const script of ['agent.ts', 'agent-1x.ts']) {
    const at = fileURLToPath(new URL(script, import.meta.url))
    await stage.node(at, `npamp://${host}:${port}`, relay.peerHandle, 'everything', agent.keyFile)
  }
})
