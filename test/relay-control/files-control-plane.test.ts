import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../cluster/processes/ports.ts'
import { callPath, documents, readyz, startControlPlane, startRelay } from '../fixtures/control-plane/programs.ts'
import { startFixture } from '../fixtures/process/fixture.ts'
import { ROOT } from '../tools/step.ts'

/**
 * Without a cluster: a control plane of files and relays elsewhere, programs all of them, with the certificates that
 * `causeway keys ca` makes. An agent calls the relay `edge`, whose peer `far` has the server; `far` never dials.
 */
const TRUST_DOMAIN = 'mesh.test'
const PATIENT = { timeout: 30_000, interval: 100 }

it('a control plane of files: changes reach the relays, what is broken does not, and who starts anew has it all', async () => {
  const world = await makeWorld()
  await world.write('routes.yaml', route('/one'))
  const controlPlane = await world.controlPlane()
  let far = await world.relay('far', controlPlane.address)
  const edge = await world.relay('edge', controlPlane.address)
  const said = (kind: string, name: string, type: string) => conditionOf(controlPlane.admin, kind, name, type)

  await expect.poll(() => said('MeshRoute', 'tools', 'Programmed'), PATIENT).toBe('True/Programmed')
  await expect.poll(() => said('MeshPeer', 'edge', 'Programmed'), PATIENT).toBe('True/Programmed')
  // It is for the other side to come.
  expect(await said('MeshPeer', 'edge', 'Reachable')).toBe('Unknown/NotDialled')
  expect(await callPath(edge.mcp, '/one')).toBe(200)
  await expect.poll(() => said('MeshPeer', 'edge', 'Reachable'), PATIENT).toBe('True/Reached')

  await world.write('routes.yaml', route('/two'))
  await expect.poll(() => callPath(edge.mcp, '/two'), PATIENT).toBe(200)
  expect(await callPath(edge.mcp, '/one')).toBe(404)

  await world.write('routes.yaml', route('/three').replace('"peer"', '"peeer"'))
  const { msg } = await controlPlane.program.line((line) => line.msg.startsWith('the files are not valid'))
  expect(msg).toMatch(/routes\.yaml:1:[0-9]+: MeshRoute\/default\/tools: spec\.transparent\.target\.peeer/)
  expect(await callPath(edge.mcp, '/two')).toBe(200)

  // A relay that has nothing of its own left gets the last good set, although the files are broken.
  await far.program.stop('SIGKILL')
  await world.forget('far')
  far = await world.relay('far', controlPlane.address)
  await expect.poll(() => callPath(edge.mcp, '/two'), PATIENT).toBe(200)

  await world.write('routes.yaml', route('/four'))
  await expect.poll(() => callPath(edge.mcp, '/four'), PATIENT).toBe(200)
  expect(await controlPlane.program.stop('SIGTERM')).toBe(0)
  expect([await callPath(edge.mcp, '/four'), await readyz(edge.admin), await readyz(far.admin)]).toEqual([
    200, 200, 200,
  ])

  // Files that are broken when it starts are told at once, and nobody is served anything else for it.
  await world.write('routes.yaml', 'kind: [')
  await expect(world.controlPlane(controlPlane.address)).rejects.toThrow(/ended with 1.*routes\.yaml/)
  expect(await callPath(edge.mcp, '/four')).toBe(200)

  await world.write('routes.yaml', route('/five'))
  await world.controlPlane(controlPlane.address)
  await expect.poll(() => callPath(edge.mcp, '/five'), PATIENT).toBe(200)
  expect(await callPath(edge.mcp, '/four')).toBe(404)
}, 300_000)

async function makeWorld() {
  const root = await mkdtemp(join(tmpdir(), 'causeway-files-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const at = (...path: readonly string[]): string => join(root, ...path)
  const server = await startFixture<{ url: string }>(new URL('../fixtures/servers/everything.ts', import.meta.url))
  onTestFinished(() => server.stop())
  const names = ['--relay', 'default/edge', '--relay', 'default/far', '--control-plane', 'localhost']
  const made = ['keys', 'ca', '--out', at('ca'), '--trust-domain', TRUST_DOMAIN, ...names]
  await promisify(execFile)(process.execPath, [join(ROOT, 'services/cli/causeway.ts'), ...made])
  await mkdir(at('mesh'))
  for (const name of ['edge', 'far']) await createIdentityFile(at(`${name}.key`))
  const write = (file: string, text: string): Promise<void> => writeFile(at('mesh', file), text)
  await write('mesh.yaml', mesh(at, await freePort(), server.info.url))
  return {
    write,
    controlPlane: (listen = '127.0.0.1:0') =>
      startControlPlane({
        files: at('mesh'),
        state: at('state'),
        tls: at('ca', 'control-plane'),
        trustDomain: TRUST_DOMAIN,
        listen,
      }),
    relay: (name: string, controlPlane: string) =>
      startRelay({ name, controlPlane, mounts: at('ca', 'relays', 'default', name), state: at(`${name}-state`) }),
    /** Takes what a relay keeps on its disk. */
    forget: (name: string) => rm(at(`${name}-state`), { recursive: true }),
  }
}

function mesh(at: (file: string) => string, port: number, url: string): string {
  const named = (name: string) => ({ metadata: { name } })
  const relay = (name: string, listeners: object) => ({
    kind: 'MeshRelay',
    ...named(name),
    spec: { identity: { keyFile: at(`${name}.key`) }, listeners },
  })
  const follows = (name: string) => ({ identityFrom: { relayRef: { name } } })
  return documents(
    relay('edge', { mcp: { host: '127.0.0.1', port: 0 } }),
    relay('far', { npamp: { host: '127.0.0.1', port } }),
    {
      kind: 'MeshPeer',
      ...named('far'),
      spec: { relayRefs: [{ name: 'edge' }], addresses: [`npamp://127.0.0.1:${port}`], ...follows('far') },
    },
    { kind: 'MeshPeer', ...named('edge'), spec: { relayRefs: [{ name: 'far' }], dial: 'never', ...follows('edge') } },
    {
      kind: 'MeshBackend',
      ...named('everything'),
      spec: { relayRefs: [{ name: 'far' }], peers: [{ name: 'edge' }], mcp: { url } },
    },
  )
}

function route(path: string): string {
  const target = { peer: { name: 'far', target: 'everything' } }
  const spec = { relayRefs: [{ name: 'edge' }], path, transparent: { target } }
  return documents({ kind: 'MeshRoute', metadata: { name: 'tools' }, spec })
}

/** As `True/Programmed`, from the page that `causeway get` reads. */
async function conditionOf(admin: string, kind: string, name: string, type: string): Promise<string | undefined> {
  const { resources } = (await (await fetch(`http://${admin}/status`)).json()) as { resources: readonly Documented[] }
  const object = resources.find((one) => one.kind === kind && one.metadata.name === name)
  const found = object?.status.conditions.find((one) => one.type === type)
  return found && `${found.status}/${found.reason}`
}

interface Documented {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly status: { readonly conditions: readonly { type: string; status: string; reason: string }[] }
}
