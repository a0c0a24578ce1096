import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { PROFILE, PROTOCOL } from '@causeway/npamp'
import { createIdentityFile } from '@causeway/npamp/crypto/node'
import { BackendSchema, Dial, McpTransport, PeerSchema, PostQuantum, Profile, RouteSchema } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import { mintCertificate } from '../../../test/fixtures/http/certificate.ts'
import { readBackend } from './backend.ts'
import { at, problemOf, useConfigFolder } from './config-folder.test-support.ts'
import { readPeer } from './peer.ts'
import { readRoute } from './route.ts'

const folder = useConfigFolder()

const backend = (server: MessageInitShape<typeof BackendSchema>['server']) =>
  readBackend(
    'prod/b',
    create(BackendSchema, { wireName: 'files', peers: ['prod/edge'], server } as object),
    folder.reader(),
    {
      TOKEN: 'Bearer t',
    },
  )

describe('a backend', () => {
  it('is a URL', async () => {
    const url = 'http://127.0.0.1:8080/sse'
    const value = { source: { case: 'environmentVariable', value: 'TOKEN' } } as const
    const server = {
      url,
      transport: McpTransport.HTTP_SSE,
      headers: [{ name: 'authorization', value }],
      maxConcurrency: 4,
      connectTimeoutMs: 500n,
    }
    expect(await backend({ case: 'http', value: server } as never)).toEqual({
      kind: 'http',
      name: 'prod/b',
      wireName: 'files',
      peers: new Set(['prod/edge']),
      url: new URL(url),
      transport: 'httpSse',
      headers: new Map([['authorization', 'Bearer t']]),
      acceptHeaders: [],
      connectTimeoutMs: 500,
      firstHeaderTimeoutMs: undefined,
      maxConcurrency: 4,
    })
  })

  it('or a process', async () => {
    const server = {
      command: 'npx',
      args: ['-y'],
      env: [{ name: 'KEY', value: 'v' }],
      inheritEnv: ['TOKEN'],
      maxProcesses: 2,
    }
    expect(await backend({ case: 'stdio', value: server } as never)).toMatchObject({
      kind: 'stdio',
      command: 'npx',
      args: ['-y'],
      env: new Map([['KEY', 'v']]),
      inheritEnv: ['TOKEN'],
      cwd: undefined,
      maxProcesses: 2,
    })
  })

  it.each([
    ['nothing', { case: undefined }, 'spec'],
    ['no URL', { case: 'http', value: { url: 'ftp://x' } }, 'spec.mcp.url'],
    ['an unknown transport', { case: 'http', value: { url: 'http://x', transport: 9 } }, 'spec.mcp.transport'],
  ])('that is %s is refused', async (_what, server, fieldPath) => {
    expect(await problemOf(backend(server as never))).toMatchObject({ reason: 'Invalid', fieldPath })
  })
})

const PEER = {
  dial: Dial.ALWAYS,
  profile: Profile.STANDARD,
  postQuantum: PostQuantum.REQUIRE,
  protocols: [PROTOCOL.MCP],
  associations: 2,
  maxFrameOctets: 1_000_000n,
  sessionsPerPeer: 7,
}

async function handle(): Promise<string> {
  return (await createIdentityFile(folder.path('peer.key'), { overwrite: true })).peerHandle
}

const peer = (fields: object) => readPeer('prod/p', create(PeerSchema, { ...PEER, ...fields }), folder.reader())
const pinning = (...handles: string[]) => ({ identity: { case: 'handles', value: { handles } } })

describe('a peer', () => {
  it('is who it is pinned as, where it is to be found, and what it carries', async () => {
    const known = await handle()
    const addresses = [{ host: 'a', port: 1 }]
    expect(await peer({ ...pinning(known), addresses, defaultBackend: 'files', acceptSuccessors: true })).toEqual({
      name: 'prod/p',
      identity: { mode: 'handles', handles: [known] },
      addresses,
      dial: 'always',
      profile: PROFILE.STANDARD,
      associations: 2,
      tls: { mode: 'pinned', postQuantum: 'require' },
      protocols: [PROTOCOL.MCP],
      assumedProtocols: undefined,
      defaultBackend: 'files',
      maxFrameOctets: 1_000_000,
      sessionsPerPeer: 7,
      acceptSuccessors: true,
    })
  })

  it('is anybody only where that is said', async () => {
    expect((await peer({ identity: { case: 'any', value: {} } })).identity).toEqual({ mode: 'any' })
    expect(await problemOf(peer({}))).toMatchObject({ reason: 'Invalid', fieldPath: 'spec.identity' })
    expect(await problemOf(peer(pinning()))).toMatchObject({ reason: 'Invalid' })
    expect(await problemOf(peer(pinning('rubbish')))).toMatchObject({ fieldPath: 'spec.identity.handles[0]' })
  })

  it('has its bundle of authorities read', async () => {
    const { cert, key } = await mintCertificate('localhost')
    const tls = { ca: at(folder.write('ca.pem', cert)), serverName: 'peer.example' }
    expect((await peer({ ...pinning(await handle()), tls })).tls).toMatchObject({
      mode: 'ca',
      serverName: 'peer.example',
    })
    folder.write('ca.pem', key)
    expect(await problemOf(peer({ ...pinning(await handle()), tls }))).toMatchObject({
      reason: 'FileUnusable',
      fieldPath: 'spec.tls.caFile',
    })
  })

  it.each([
    ['dialled in an unknown way', { dial: 9 }, 'Invalid', 'spec.dial'],
    ['of an unknown profile', { profile: Profile.UNSPECIFIED }, 'Invalid', 'spec.profile'],
    ['with an unknown stage', { postQuantum: 9 }, 'Invalid', 'spec.postQuantum'],
    ['that carries what this version does not', { protocols: [PROTOCOL.A2A] }, 'NotImplemented', 'spec.protocols'],
  ])('%s is refused', async (_what, fields, reason, fieldPath) => {
    expect(await problemOf(peer({ ...pinning(await handle()), ...fields }))).toMatchObject({ reason, fieldPath })
  })
})

describe('a route', () => {
  it('leads to a backend, or behind a peer', () => {
    const cors = { allowedOrigins: ['https://app.example'], maxAgeSeconds: 60n }
    const message = create(RouteSchema, {
      path: '/x',
      target: { case: 'backend', value: 'prod/b' },
      cors,
      sessions: 7n,
    })
    expect(readRoute('prod/r', message)).toMatchObject({
      path: '/x',
      target: { backend: 'prod/b' },
      cors: { maxAgeSeconds: 60 },
      sessions: 7,
      requestTimeoutMs: undefined,
    })
    const far = create(RouteSchema, { path: '/x', target: { case: 'peer', value: { peer: 'prod/p' } } })
    expect(readRoute('prod/r', far).target).toEqual({ peer: 'prod/p', target: undefined })
  })

  it('leads somewhere', () => {
    expect(() => readRoute('prod/r', create(RouteSchema, { path: '/x' }))).toThrow('this version knows no such target')
  })
})
