import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RelayProcess, startRelayProcess } from '../fixtures/mesh/relay-process.ts'
import { type Fixture, startFixture } from '../fixtures/process/fixture.ts'
import { causeway } from './causeway.ts'
import { edgeYaml, toolsYaml } from './configuration.ts'

/**
 * All that the demo runs, every piece a process of its own:
 *
 *     clients - recorder - relay edge = N-PAMP = relay tools - recorder - two MCP servers
 */
export interface DemoMesh {
  readonly folder: string
  readonly edge: RelayProcess
  readonly tools: RelayProcess
  /** `npamp://host:port` of tools. */
  readonly toolsAddress: string
  /** Between the clients and edge. */
  readonly north: Fixture<{ urls: string[] }>
  /** Between tools and the servers: the legacy one is its target 0, the modern one target 1. */
  readonly south: Fixture<{ urls: string[] }>
  /** What a client connects to. */
  readonly urls: { readonly legacy: string; readonly modern: string }
}

type CleanUp = () => unknown

/** Starts it all, from the servers northwards. Each piece tells `onStop` how it is stopped; that throws when it is too late to start. */
export async function startMesh(onStop: (cleanUp: CleanUp) => void): Promise<DemoMesh> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-demo-'))
  onStop(() => rmSync(folder, { recursive: true, force: true }))
  const keyFiles = { edge: join(folder, 'edge.pem'), tools: join(folder, 'tools.pem') }
  const [edgeHandle, toolsHandle] = await Promise.all([generateKey(keyFiles.edge), generateKey(keyFiles.tools)])

  const [legacy, modern] = await Promise.all([
    start<{ url: string }>('servers/everything.ts', [], onStop),
    start<{ url: string }>('servers/modern.ts', [], onStop),
  ])
  const south = await start<{ urls: string[] }>('recorder/recorder.ts', [legacy.info.url, modern.info.url], onStop)
  const [legacyUrl = '', modernUrl = ''] = south.info.urls

  const toolsFile = join(folder, 'tools.yaml')
  writeFileSync(toolsFile, toolsYaml({ keyFile: keyFiles.tools, edgeHandle, legacyUrl, modernUrl }))
  const tools = await startRelayProcess([toolsFile], 'tools', 'info', onStop)
  const toolsAddress = `npamp://127.0.0.1:${tools.addresses.npamp?.port}`

  const edgeFile = join(folder, 'edge.yaml')
  writeFileSync(edgeFile, edgeYaml({ keyFile: keyFiles.edge, toolsHandle, toolsAddress }))
  const edge = await startRelayProcess([edgeFile], 'edge', 'info', onStop)

  const edgeUrl = `http://127.0.0.1:${edge.addresses.mcp?.port}/`
  const north = await start<{ urls: string[] }>('recorder/recorder.ts', [edgeUrl], onStop)
  const [base = ''] = north.info.urls
  const urls = { legacy: new URL('/legacy', base).href, modern: new URL('/modern', base).href }
  return { folder, edge, tools, toolsAddress, north, south, urls }
}

async function generateKey(file: string): Promise<string> {
  const { peerHandle } = (await causeway('keys', 'generate', '--out', file, '--json')) as { peerHandle: string }
  return peerHandle
}

async function start<Info>(
  script: string,
  args: readonly string[],
  onStop: (cleanUp: CleanUp) => void,
): Promise<Fixture<Info>> {
  const fixture = await startFixture<Info>(new URL(`../fixtures/${script}`, import.meta.url), args)
  onStop(() => fixture.stop())
  return fixture
}
