import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, stopped } from '../integration/clean-up.ts'
import { callText, legacyClient, modernClient } from '../integration/clients.ts'
import { everythingUser, expectServed, useEverything } from './everything-user.ts'
import { published, startProgram } from './program.ts'

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'causeway-server-')))
  return cleanUp(made, (path) => rm(path, { recursive: true }))
}

describe('published servers over stdio behind the mesh', () => {
  it('server-everything', async () => {
    const stdio = { command: published('mcp-server-everything') }
    const { endpoint } = await stopped(startMeshHere({ backends: { everything: { stdio } } }))
    const transport = new StreamableHTTPClientTransport(new URL(endpoint('everything')))
    expectServed(await useEverything(await closed(everythingUser(transport))))
  })

  it('server-filesystem reads what is in its folder and nothing else', async () => {
    const allowed = await folder()
    await writeFile(join(allowed, 'hello.txt'), 'hello from a file')
    const stdio = { command: published('mcp-server-filesystem'), args: [allowed] }
    const { endpoint } = await stopped(startMeshHere({ backends: { files: { stdio } } }))
    const client = await closed(legacyClient(endpoint('files')))
    expect(await callText(client, 'read_text_file', { path: join(allowed, 'hello.txt') })).toBe('hello from a file')
    expect(await callText(client, 'read_text_file', { path: '/etc/hostname' })).toContain('denied')
  })

  it('server-memory keeps one process for each session', async () => {
    const stdio = {
      command: published('mcp-server-memory'),
      env: [{ name: 'MEMORY_FILE_PATH', value: join(await folder(), 'memory.jsonl') }],
    }
    const { endpoint } = await stopped(startMeshHere({ backends: { memory: { stdio } } }))
    const [one, two] = [await closed(legacyClient(endpoint('memory'))), await closed(modernClient(endpoint('memory')))]
    const entities = [{ name: 'Causeway', entityType: 'mesh', observations: ['carries MCP'] }]
    await one.callTool({ name: 'create_entities', arguments: { entities } })
    expect(await callText(two, 'read_graph')).toContain('carries MCP')
  })
})

describe('server-everything over HTTP with SSE, revision 2024-11-05', () => {
  it('serves a client of Streamable HTTP', async () => {
    const server = await stopped(startProgram('mcp-server-everything', () => ['sse']))
    const mcp = { url: `http://localhost:${server.port}/sse`, transport: 'HTTPSSE' }
    const { endpoint } = await stopped(startMeshHere({ backends: { everything: mcp } }))
    const transport = new StreamableHTTPClientTransport(new URL(endpoint('everything')))
    expectServed(await useEverything(await closed(everythingUser(transport))))
  })
})
