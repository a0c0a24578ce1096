import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeFolders, mount } from '../fixtures/control/grpc-world.ts'
import { TestAuthority, TRUST_DOMAIN } from '../fixtures/control/test-authority.ts'
import { callPath, documents, readyz, startControlPlane, startRelay } from '../fixtures/control-plane/programs.ts'
import { startFixture } from '../fixtures/process/fixture.ts'

it('a relay serves what a control plane said, also when both were killed and only the relay comes back', async () => {
  const world = await makeWorld()
  const controlPlane = await world.controlPlane('/tools')
  let relay = await world.relay(controlPlane.address)
  expect(await callPath(relay.mcp, '/tools')).toBe(200)
  expect(await readyz(relay.admin)).toBe(200)

  await controlPlane.program.stop('SIGKILL')
  expect(await callPath(relay.mcp, '/tools')).toBe(200)
  expect(await relay.program.stop('SIGKILL')).toBe('SIGKILL')
  relay = await world.relay(controlPlane.address)
  expect([await callPath(relay.mcp, '/tools'), await readyz(relay.admin)]).toEqual([200, 200])

  // What was changed meanwhile is there once a control plane is.
  await world.controlPlane('/other', controlPlane.address)
  await expect.poll(() => callPath(relay.mcp, '/other'), { timeout: 20_000 }).toBe(200)
  expect(await callPath(relay.mcp, '/tools')).toBe(404)
  expect(await relay.program.stop('SIGTERM')).toBe(0)
}, 300_000)

async function makeWorld() {
  const authority = await TestAuthority.create()
  const backend = await startFixture<{ url: string }>(new URL('../fixtures/servers/everything.ts', import.meta.url))
  onTestFinished(() => backend.stop())
  const folders = await makeFolders()
  await mount(folders, await authority.relay('default', 'edge'))
  const root = join(folders.state, '..')
  return {
    relay: (controlPlane: string) => startRelay({ name: 'edge', controlPlane, ...folders }),
    controlPlane: async (path: string, listen = '127.0.0.1:0') => {
      const flags = { files: join(root, 'mesh.yaml'), state: join(root, 'control-plane-state'), tls: join(root, 'tls') }
      await writeFile(flags.files, mesh(backend.info.url, path))
      await writeTls(authority, flags.tls)
      return startControlPlane({ ...flags, trustDomain: TRUST_DOMAIN, listen })
    },
  }
}

async function writeTls(authority: TestAuthority, folder: string): Promise<void> {
  const { certificateChain, key, authorities } = await authority.controlPlane()
  await mkdir(folder, { recursive: true })
  const files = { 'tls.crt': certificateChain, 'tls.key': key, 'ca.crt': authorities }
  for (const [name, octets] of Object.entries(files)) await writeFile(join(folder, name), octets)
}

function mesh(url: string, path: string): string {
  const relayRefs = [{ name: 'edge' }]
  return documents(
    { kind: 'MeshRelay', metadata: { name: 'edge' }, spec: { listeners: { mcp: { host: '127.0.0.1', port: 0 } } } },
    { kind: 'MeshBackend', metadata: { name: 'everything' }, spec: { relayRefs, mcp: { url } } },
    {
      kind: 'MeshRoute',
      metadata: { name: 'tools' },
      spec: { relayRefs, path, transparent: { target: { backendRef: { name: 'everything' } } } },
    },
  )
}
