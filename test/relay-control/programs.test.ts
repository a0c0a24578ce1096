import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Folders, makeFolders, mount } from '../fixtures/control/grpc-world.ts'
import { type LogLine, type Program, startProgram } from '../fixtures/control/program.ts'
import { TestAuthority, TRUST_DOMAIN } from '../fixtures/control/test-authority.ts'
import { startFixture } from '../fixtures/process/fixture.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

it('a relay serves what a control plane said, also when both were killed and only the relay comes back', async () => {
  const world = await makeWorld()
  const controlPlane = await world.controlPlane('/tools')
  let relay = await world.relay(controlPlane.address)
  expect(await call(relay.mcp, '/tools')).toBe(200)
  expect(await readyz(relay.admin)).toBe(200)

  await controlPlane.program.stop('SIGKILL')
  expect(await call(relay.mcp, '/tools')).toBe(200)
  expect(await relay.program.stop('SIGKILL')).toBe('SIGKILL')
  relay = await world.relay(controlPlane.address)
  expect([await call(relay.mcp, '/tools'), await readyz(relay.admin)]).toEqual([200, 200])

  // What was changed meanwhile is there once a control plane is.
  await world.controlPlane('/other', controlPlane.address)
  await expect.poll(() => call(relay.mcp, '/other'), { timeout: 20_000 }).toBe(200)
  expect(await call(relay.mcp, '/tools')).toBe(404)
  expect(await relay.program.stop('SIGTERM')).toBe(0)
}, 120_000)

async function makeWorld() {
  const authority = await TestAuthority.create()
  const backend = await startFixture<{ url: string }>(new URL('../fixtures/servers/everything.ts', import.meta.url))
  onTestFinished(() => backend.stop())
  const folders = await makeFolders()
  await mount(folders, await authority.relay('default', 'edge'))
  return {
    relay: (controlPlane: string) => startRelay(folders, controlPlane),
    controlPlane: async (path: string, listen = '127.0.0.1:0') => {
      const root = join(folders.state, '..')
      await writeFile(join(root, 'mesh.yaml'), mesh(backend.info.url, path))
      await writeTls(authority, join(root, 'tls'))
      const program = startProgram('services/control-plane/main.ts', {
        files: join(root, 'mesh.yaml'),
        state: join(root, 'control-plane-state'),
        tls: join(root, 'tls'),
        'trust-domain': TRUST_DOMAIN,
        listen,
        'status-listen': '127.0.0.1:0',
        admin: '127.0.0.1:0',
      })
      return { program, address: hostPort((await program.line(({ config }) => config !== undefined)).config) }
    },
  }
}

async function startRelay({ mounts, state }: Folders, controlPlane: string) {
  const program = startProgram('services/relay/main.ts', {
    namespace: 'default',
    name: 'edge',
    'control-plane': controlPlane,
    'control-plane-name': 'localhost',
    mounts,
    state,
    admin: '127.0.0.1:0',
  })
  const admin = hostPort((await program.line(({ msg }) => msg === 'relay process started')).admin)
  const mcp = hostPort((await started(program)).mcp)
  return { program, admin, mcp }
}

const started = (program: Program): Promise<LogLine> => program.line(({ msg }) => msg === 'relay started')

function hostPort(address: unknown): string {
  const { host, port } = address as { host: string; port: number }
  return `${host}:${port}`
}

async function writeTls(authority: TestAuthority, folder: string): Promise<void> {
  const { certificateChain, key, authorities } = await authority.controlPlane()
  await mkdir(folder, { recursive: true })
  const files = { 'tls.crt': certificateChain, 'tls.key': key, 'ca.crt': authorities }
  for (const [name, octets] of Object.entries(files)) await writeFile(join(folder, name), octets)
}

const readyz = async (admin: string): Promise<number> => (await fetch(`http://${admin}/readyz`)).status

async function call(mcp: string, path: string): Promise<number> {
  const response = await fetch(`http://${mcp}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(INITIALIZE),
  })
  await response.body?.cancel()
  return response.status
}

function mesh(url: string, path: string): string {
  return [
    { kind: 'MeshRelay', metadata: { name: 'edge' }, spec: { listeners: { mcp: { host: '127.0.0.1', port: 0 } } } },
    { kind: 'MeshBackend', metadata: { name: 'everything' }, spec: { relayRefs: [{ name: 'edge' }], mcp: { url } } },
    {
      kind: 'MeshRoute',
      metadata: { name: 'tools' },
      spec: {
        relayRefs: [{ name: 'edge' }],
        path,
        transparent: { target: { backendRef: { name: 'everything' } } },
      },
    },
  ]
    .map((object) => JSON.stringify({ apiVersion: 'mesh.causeway.dev/v1alpha1', ...object }))
    .join('\n---\n')
}
