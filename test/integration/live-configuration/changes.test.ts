import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { create } from '@bufbuild/protobuf'
import { signSuccessor } from '@causeway/npamp'
import { nodeProvider, readIdentityFile } from '@causeway/npamp/crypto/node'
import { Dial, Reachability, StdioServerSchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../../services/relay/config-store/contract.ts'
import { until } from '../../cluster/wait.ts'
import { mintCertificate } from '../../fixtures/http/certificate.ts'
import { cleanUp } from '../clean-up.ts'
import { answerAt, holdModern, SessionCaller } from './callers.ts'
import { addressOf, inForce, LiveWorld, portOf } from './live-world.ts'
import { file, heldBackend, httpBackend, LIMITS, peer, route, toBackend, toPeer } from './messages.ts'
import { ToldServer } from './told-server.ts'

async function liveWorld(): Promise<LiveWorld> {
  return cleanUp(await LiveWorld.create(), (world) => world.stop())
}

async function told(name: string): Promise<ToldServer> {
  return cleanUp(await ToldServer.open(name), (server) => server.close())
}

/** Relay `edge` with a backend of its own under `/local`. */
async function single() {
  const live = await liveWorld()
  const server = await told('one')
  await live.newKey('edge')
  const edge = live.relay('edge')
  const resources = [httpBackend('default/b', server.url), route('default/local', { target: toBackend('default/b') })]
  await inForce(edge, [live.settings('edge'), ...resources])
  return { live, server, edge, http: live.http(edge) }
}

/** Relay `edge`, which dials relay `tools`, whose backend is under `/remote`. */
async function pair() {
  const live = await liveWorld()
  const server = await told('far')
  const handles = { edge: await live.newKey('edge'), tools: await live.newKey('tools') }
  const [edge, tools] = [live.relay('edge'), live.relay('tools')]
  const edgePeer = (...pinned: string[]) =>
    peer('default/edge', handles.edge, {
      dial: Dial.NEVER,
      identity: { case: 'handles', value: { handles: pinned.length === 0 ? [handles.edge] : pinned } },
    })
  const backend = httpBackend('default/kept', server.url, {}, { peers: ['default/edge'] })
  await inForce(tools, [live.settings('tools'), edgePeer(), backend])
  const toolsPeer = (changes: Parameters<typeof peer>[2] = {}) =>
    peer('default/tools', handles.tools, { addresses: [addressOf(tools)], ...changes })
  const remote = route('default/remote', { target: toPeer('default/tools', 'kept') })
  await inForce(edge, [live.settings('edge'), toolsPeer(), remote])
  return { live, server, handles, edge, tools, edgePeer, toolsPeer, http: live.http(edge) }
}

const OK = expect.stringContaining('"status":200')

describe('the identity of a relay', () => {
  it('is switched under load without a lost call or session; both relays follow by configuration', async () => {
    const { live, handles, edge, tools, edgePeer, http } = await pair()
    const session = await SessionCaller.open(http, '/remote')
    const stream = await holdModern(http, '/remote')
    const next = await live.newKey('next')
    let failed = 0
    let going = true
    const load = (async () => {
      while (going) if (!(await answerAt(http, '/remote')).includes('"server":"far"')) failed++
    })()
    await inForce(tools, [edgePeer(handles.edge, next)])
    await inForce(edge, [live.settings('edge', { identity: { key: file(live.keyFile('next')) } })])
    expect(edge.peerHandle).toBe(next)
    const handleSeen = () => tools.status.current().peers[0]?.peerHandle
    await until('calls go with the new key', () => handleSeen() === next)
    expect((await session.call()).status).toBe(200)
    going = false
    await load
    expect([failed, stream.status]).toEqual([0, 200])
    stream.disconnect()
    // The old key is pinned no more: whatever is left with it is over at once.
    await inForce(tools, [edgePeer(next)])
    expect(await answerAt(http, '/remote')).toContain('"server":"far"')
  })

  it('is announced with a statement to a peer that no control plane of ours manages, and followed', async () => {
    const { live, handles, edge, tools, toolsPeer, http } = await pair()
    await inForce(edge, [toolsPeer({ acceptSuccessors: true })])
    expect(await answerAt(http, '/remote')).toEqual(OK)
    const next = await live.newKey('next')
    const [now, later] = [await readIdentityFile(live.keyFile('tools')), await readIdentityFile(live.keyFile('next'))]
    const seconds = Math.floor(Date.now() / 1_000)
    const terms = { notBeforeS: seconds - 60, notAfterS: seconds + 3_600 }
    const statement = signSuccessor(terms, now.key, later.key, nodeProvider())
    const announced = { key: file(live.keyFile('next')), peerHandle: next, statement }
    const key = file(live.keyFile('tools'))
    await inForce(tools, [live.settings('tools', { identity: { key, successor: announced } })])
    expect(tools.status.current().heldIdentities).toEqual([handles.tools, next])
    const seen = () => edge.status.current().peers[0]
    await until('the next key is pinned', () => seen()?.pinnedSuccessors.includes(next))
    expect(Number(seen()?.identityExpires)).toBe(terms.notAfterS)
    await inForce(tools, [live.settings('tools', { identity: { key: file(live.keyFile('next')) } })])
    await until('calls go to the new key', async () => {
      expect(await answerAt(http, '/remote')).toEqual(OK)
      return seen()?.peerHandle === next
    })
  })
})

describe('listeners', () => {
  it('move: the new one is there before the old one goes, and sessions are with both', async () => {
    const { live, edge, http } = await single()
    const session = await SessionCaller.open(http, '/local')
    const before = portOf(edge, 'mcp')
    const port = await freePort()
    await inForce(edge, [live.settings('edge', { mcp: { host: '127.0.0.1', port } })])
    expect(portOf(edge, 'mcp')).toBe(port)
    expect(port).not.toBe(before)
    expect(await answerAt(live.http(edge), '/local')).toEqual(OK)
    await expect(session.call()).rejects.toThrow()
    await until('nothing listens there any more', async () => (await isFree(before)) || undefined)
  })

  it('that cannot be had leave everything as it was, until they can', async () => {
    const { live, edge, http } = await single()
    const taken = cleanUp(createServer(), (server) => server.close())
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const told: (readonly Refusal[])[] = []
    edge.onRefusalsChanged((refusals) => told.push(refusals))
    const moved = live.settings('edge', { mcp: { host: '127.0.0.1', port }, limits: { ...LIMITS, maxBodyOctets: 10n } })
    const [refusal] = await edge.apply({ upserts: [moved], removals: [] })
    expect(refusal).toMatchObject({ kind: 'relay', reason: 'ListenFailed', fieldPath: 'spec.listeners.mcp' })
    expect(await answerAt(http, '/local')).toEqual(OK)
    expect(edge.ready().ok).toBe(true)
    await new Promise((resolve) => taken.close(resolve))
    await until('it is in force', () => told.at(-1)?.length === 0)
    expect(portOf(edge, 'mcp')).toBe(port)
    expect(await answerAt(live.http(edge), '/local')).toContain('"status":413')
  })

  it('change to TLS at the same address, and take new certificates as the files change', async () => {
    const { live, edge } = await single()
    const port = portOf(edge, 'mcp')
    const write = async ({ cert, key }: { cert: string; key: string }) => {
      await writeFile(`${live.folder}/tls.crt`, cert)
      await writeFile(`${live.folder}/tls.key`, key)
    }
    const [one, two] = [await mintCertificate('localhost'), await mintCertificate('localhost')]
    await write(one)
    const certificate = { certificate: file(`${live.folder}/tls.crt`), key: file(`${live.folder}/tls.key`) }
    await inForce(edge, [live.settings('edge', { mcp: { host: '127.0.0.1', port, certificate } })])
    expect(await statusOverTls(port, one.cert)).toBe(404)
    await write(two)
    await until('the new certificate is shown', async () => (await statusOverTls(port, two.cert)) === 404)
    await inForce(edge, [live.settings('edge', { mcp: { host: '127.0.0.1', port } })])
    expect(await answerAt(live.http(edge), '/local')).toEqual(OK)
  })

  it('are closed when they are configured no more, and the relay goes on without', async () => {
    const { live, edge, handles, toolsPeer } = { ...(await pair()) }
    void handles
    await inForce(edge, [live.settings('edge', { mcp: undefined, npamp: undefined }), toolsPeer({ dial: Dial.ALWAYS })])
    expect(edge.addresses).toEqual({})
    await until('peers are still reached', () => edge.status.current().peers[0]?.reachable === Reachability.REACHABLE)
  })
})

describe('a peer whose address changes', () => {
  it('is reached at the new one; a stream and a session over the old one go on', async () => {
    const { live, edge, tools, toolsPeer, http, server } = await pair()
    const session = await SessionCaller.open(http, '/remote')
    const stream = await holdModern(http, '/remote')
    const before = addressOf(tools)
    const port = await freePort()
    await inForce(tools, [live.settings('tools', { npamp: { host: '127.0.0.1', port } })])
    await inForce(edge, [toolsPeer({ addresses: [addressOf(tools)] })])
    expect(addressOf(tools)).not.toEqual(before)
    for (let n = 0; n < 20; n++) expect(await answerAt(http, '/remote')).toContain('"server":"far"')
    expect((await session.call()).status).toBe(200)
    server.endAll()
    expect((await stream.whole()).body).toContain('"ended":true')
  })
})

describe('a server that is another one', () => {
  it('gets new calls at once; its process of before ends when its sessions have', async () => {
    const { edge, http } = await single()
    const program = (text: string) =>
      heldBackend('default/b', {
        case: 'stdio',
        value: create(StdioServerSchema, {
          command: process.execPath,
          args: ['-e', `${ECHO};serve(${JSON.stringify(text)})`],
          maxProcesses: 2,
          maxSessionProcesses: 4,
          maxQueued: 8,
        }),
      })
    await inForce(edge, [program('first')])
    const session = await SessionCaller.open(http, '/local')
    expect((await session.call()).body).toContain('first')
    await inForce(edge, [program('second')])
    expect((await session.call()).status).toBe(404)
    const again = await SessionCaller.open(http, '/local')
    expect((await again.call()).body).toContain('second')
    const processes = () => edge.metrics.value('causeway_backend_processes', { backend: 'default/b' })
    await until('the first process is gone', () => processes() === 1)
  })
})

describe('a credential', () => {
  it('that is not there yet keeps the last good server; it is used as soon as it is there', async () => {
    const { live, server, edge, http } = await single()
    const sha256 = createHash('sha256').update('token-1').digest()
    const value = { case: 'file', value: { location: { case: 'mounted', value: 'token' }, sha256 } } as const
    const secret = httpBackend('default/b', server.url, { headers: [{ name: 'x-said', value: { source: value } }] })
    const [refusal] = await edge.apply({ upserts: [secret], removals: [] })
    expect(refusal).toMatchObject({ reason: 'CredentialPending', fieldPath: 'spec.mcp.headers[0].valueFrom.secretRef' })
    expect(await answerAt(http, '/local')).toContain('"said":null')
    await writeFile(`${live.folder}/token`, 'token-1')
    await until('it is used', async () => (await answerAt(http, '/local')).includes('"said":"token-1"'))
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  await new Promise((resolve) => server.close(resolve))
  return listening
}

/** Of a path where there is nothing, from a client that trusts only this certificate. */
function statusOverTls(port: number, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: 'localhost', port, path: '/none', method: 'POST', ca, agent: false, family: 4 },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

/** A server of the legacy era over stdio, whose every tool says the same. */
const ECHO = `
function serve(text) {
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (id === undefined) return
    const result = method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: text, version: '1' } }
      : { content: [{ type: 'text', text }] }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  })
}`
