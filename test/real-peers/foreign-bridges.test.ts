import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describe, expect, it } from 'vitest'
import { startMeshHere } from '../fixtures/mesh/relays-here.ts'
import { cleanUp, fixture, stopped } from '../integration/clean-up.ts'
import { everythingUser, type Used, useEverything } from './everything-user.ts'
import { published, startProgram } from './program.ts'

const EVERYTHING_STDIO = published('mcp-server-everything')

/** A bridge may lose progress, or not let the server ask: what it does without a mesh it must do with one. */
const seenOf = ({ tools, echo, sampled }: Used) => ({ tools, echo, sampled })

async function meshBefore(server: string | object): Promise<string> {
  const { endpoint } = await stopped(startMeshHere({ backends: { everything: server } }))
  return endpoint('everything')
}

async function usedOver(transport: Transport): Promise<Used> {
  const client = await everythingUser(transport)
  const used = await useEverything(client)
  await client.close()
  return used
}

const usedAt = (url: string) => usedOver(new StreamableHTTPClientTransport(new URL(url)))

describe('bridges of others between client and mesh', () => {
  it.each([
    ['mcp-remote, as desktop hosts start it', 'mcp-remote', (url: string) => [url]],
    ['supergateway', 'supergateway', (url: string) => ['--streamableHttp', url, '--logLevel', 'none']],
  ])('%s', async (_name, program, args) => {
    const { info } = await fixture('servers/everything.ts')
    const home = cleanUp(await mkdtemp(join(tmpdir(), 'causeway-bridge-')), (folder) => rm(folder, { recursive: true }))
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    const through = (url: string) =>
      usedOver(new StdioClientTransport({ command: published(program), args: args(url), env, stderr: 'ignore' }))
    const [direct, mesh] = [await through(info.url), await through(await meshBefore(info.url))]
    expect(seenOf(mesh)).toEqual(seenOf(direct))
    expect(mesh.echo).toBe('Echo: hello')
  })
})

describe('bridges of others between mesh and server', () => {
  it.each([
    [
      'supergateway with Streamable HTTP',
      'supergateway',
      (port: number) => [
        ...['--stdio', EVERYTHING_STDIO, '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ],
      { path: 'mcp', transport: 'StreamableHTTP' },
    ],
    [
      'supergateway with SSE, revision 2024-11-05',
      'supergateway',
      (port: number) => [
        ...['--stdio', EVERYTHING_STDIO, '--outputTransport', 'sse'],
        ...['--port', String(port), '--logLevel', 'none'],
      ],
      { path: 'sse', transport: 'HTTPSSE' },
    ],
    ['mcp-proxy with Streamable HTTP', 'mcp-proxy', mcpProxy, { path: 'mcp', transport: 'StreamableHTTP' }],
    ['mcp-proxy with SSE', 'mcp-proxy', mcpProxy, { path: 'sse', transport: 'HTTPSSE' }],
  ])('%s', async (_name, program, args, { path, transport }) => {
    const bridge = await stopped(startProgram(program, args))
    const url = `http://localhost:${bridge.port}/${path}`
    const direct = transport === 'HTTPSSE' ? await usedOver(new SSEClientTransport(new URL(url))) : await usedAt(url)
    const mesh = await usedAt(await meshBefore({ url, transport }))
    expect(seenOf(mesh)).toEqual(seenOf(direct))
    expect(mesh.echo).toBe('Echo: hello')
  })
})

function mcpProxy(port: number): string[] {
  return ['--port', String(port), '--', EVERYTHING_STDIO]
}
