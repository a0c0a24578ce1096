/**
 * An MCP server that relays reach over N-PAMP, without a relay beside it. It serves clients of either era.
 *
 *   node server.ts KEY_FILE ALLOWED_HANDLE [PORT]
 */
import { readIdentityFile } from '@causeway/npamp/crypto/node'
import { listenMcp } from '@causeway/npamp/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [keyFile = '', allowed = '', port = '0'] = process.argv.slice(2)

function createServer(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '1.0.0' })
  const inputSchema = z.object({ name: z.string() })
  server.registerTool('greet', { inputSchema, annotations: { readOnlyHint: true } }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}` }],
  }))
  return server
}

const listener = await listenMcp({
  host: '127.0.0.1',
  port: Number(port),
  identity: await readIdentityFile(keyFile),
  allow: [allowed],
  // `serveStdio` serves whatever transport it gets. With SDK 1.x, or for the legacy era alone: createServer().connect(transport)
  onSession: (transport) => serveStdio(createServer, { transport }),
  onError: (error) => console.error(error.message),
})
console.log(`npamp://${listener.host}:${listener.port}`)
process.once('SIGTERM', () => listener.close())
