import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, closed, fixture, stopped } from '../integration/clean-up.ts'
import { everythingUser, useEverything } from './everything-user.ts'
import { published, startProgram } from './program.ts'

const EVERYTHING_STDIO = published('mcp-server-everything')

async function meshBefore(server: string | object): Promise<string> {
  const { endpoint } = await stopped(startMeshHere({ backends: { everything: server } }))
  return endpoint('everything')
}

describe('bridges of others between client and mesh', () => {
  it('mcp-remote, as desktop hosts start it', async () => {
    const { info } = await fixture('servers/everything.ts')
    const url = await meshBefore(info.url)
    const home = cleanUp(await mkdtemp(join(tmpdir(), 'causeway-mcp-remote-')), (folder) =>
      rm(folder, { recursive: true }),
    )
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    const transport = new StdioClientTransport({ command: published('mcp-remote'), args: [url], env, stderr: 'ignore' })
    await useEverything(await closed(everythingUser(transport)))
  })

  it('supergateway from Streamable HTTP to stdio', async () => {
    const { info } = await fixture('servers/everything.ts')
    const args = ['--streamableHttp', await meshBefore(info.url), '--logLevel', 'none']
    const transport = new StdioClientTransport({ command: published('supergateway'), args, stderr: 'ignore' })
    await useEverything(await closed(everythingUser(transport)))
  })
})

describe('bridges of others between mesh and server', () => {
  it('supergateway from stdio to Streamable HTTP', async () => {
    const bridge = await stopped(
      startProgram('supergateway', (port) => [
        ...['--stdio', EVERYTHING_STDIO, '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ]),
    )
    const url = await meshBefore(`http://localhost:${bridge.port}/mcp`)
    await useEverything(await closed(everythingUser(new StreamableHTTPClientTransport(new URL(url)))))
  })

  it('supergateway from stdio to HTTP with SSE, revision 2024-11-05', async () => {
    const bridge = await stopped(
      startProgram('supergateway', (port) => [
        ...['--stdio', EVERYTHING_STDIO, '--outputTransport', 'sse', '--port', String(port), '--logLevel', 'none'],
      ]),
    )
    const url = await meshBefore({ url: `http://localhost:${bridge.port}/sse`, transport: 'HTTPSSE' })
    await useEverything(await closed(everythingUser(new StreamableHTTPClientTransport(new URL(url)))))
  })

  it.each([
    ['Streamable HTTP', 'mcp', 'StreamableHTTP'],
    ['HTTP with SSE', 'sse', 'HTTPSSE'],
  ])('mcp-proxy from stdio to %s', async (_name, path, transport) => {
    const bridge = await stopped(
      startProgram('mcp-proxy', (port) => ['--port', String(port), '--host', '127.0.0.1', '--', EVERYTHING_STDIO]),
    )
    const url = await meshBefore({ url: `http://127.0.0.1:${bridge.port}/${path}`, transport })
    await useEverything(await closed(everythingUser(new StreamableHTTPClientTransport(new URL(url)))))
  })
})
