import { closureOf, loadResources } from '@causeway/mesh-api'
import { PROFILE, PROTOCOL } from '@causeway/npamp'
import { describe, expect, it } from 'vitest'
import { readConfig } from './read-config.ts'

const YAML = `
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRelay
metadata: {name: tools, namespace: prod}
spec:
  identity: {keyFile: tools.key}
  replica: tools-0
  listeners: {npamp: {port: 7443}, mcp: {port: 8080}}
  limits: {drain: 3s, idleSession: 10m}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshPeer
metadata: {name: edge, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  addresses: ['npamp://edge.example:7443', 'npamp://[::1]:7444']
  identity: {acceptAny: true, acceptAnyConfirmed: true}
  assumedProtocols: [mcp]
  defaultBackend: {name: a-long-name-of-a-backend}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: a-long-name-of-a-backend, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  meshName: files
  mcp: {url: 'http://127.0.0.1:8080/mcp'}
  peers: [{name: edge}]
  acceptHeaders: [x-team]
  limits: {connectTimeout: 500ms, maxConcurrency: 4}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: old, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  mcp: {url: 'http://127.0.0.1:8080/sse', transport: HTTPSSE, headers: [{name: authorization, valueFromEnv: TOKEN}]}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshBackend
metadata: {name: process, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  mcp: {stdio: {command: npx, args: [-y], env: [{name: KEY, value: v}], inheritEnv: [TOKEN], cwd: work}}
  limits: {maxProcesses: 2}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: {name: local, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  path: /files
  transparent: {target: {backendRef: {name: a-long-name-of-a-backend}}}
  forwardHeaders: [x-team]
  cors: {allowedOrigins: ['https://app.example'], maxAge: 1m}
  limits: {requestTimeout: 1m30s, sessions: 7}
---
apiVersion: mesh.causeway.dev/v1alpha1
kind: MeshRoute
metadata: {name: remote, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  path: /remote
  transparent: {target: {peer: {name: edge}}}
`

async function config() {
  const resources = loadResources([{ name: 'mesh.yaml', octets: Buffer.from(YAML) }])
  const closure = closureOf(resources, 'prod/tools')
  if (closure === undefined) throw new Error('no such relay')
  return readConfig(closure, { TOKEN: 'Bearer t' })
}

describe('readConfig', () => {
  it('qualifies every name, so that namespaces cannot be confused', async () => {
    const { name, peers, backends, routes } = await config()
    expect(name).toBe('prod/tools')
    expect(peers.map((peer) => peer.name)).toEqual(['prod/edge'])
    expect(backends[0]).toMatchObject({ name: 'prod/a-long-name-of-a-backend', wireName: 'files' })
    expect([...(backends[0]?.peers ?? [])]).toEqual(['prod/edge'])
    expect(routes.map(({ target }) => target)).toEqual([
      { backend: 'prod/a-long-name-of-a-backend' },
      { peer: 'prod/edge', target: undefined },
    ])
  })

  it('a backend is a URL or a process, with defaults of its own', async () => {
    const { backends } = await config()
    expect(backends[0]).toMatchObject({ kind: 'http', transport: 'streamableHttp', headers: new Map() })
    expect(backends[1]).toMatchObject({
      kind: 'http',
      url: new URL('http://127.0.0.1:8080/sse'),
      transport: 'httpSse',
      headers: new Map([['authorization', 'Bearer t']]),
    })
    expect(backends[2]).toEqual({
      kind: 'stdio',
      name: 'prod/process',
      wireName: 'process',
      peers: new Set(),
      command: 'npx',
      args: ['-y'],
      env: new Map([['KEY', 'v']]),
      inheritEnv: ['TOKEN'],
      cwd: 'work',
      maxProcesses: 2,
      maxSessionProcesses: 32,
      maxQueued: 64,
    })
  })

  it('a route says what crosses with it and who may read it', async () => {
    const { routes } = await config()
    expect(routes[0]).toMatchObject({
      trustAnnotations: true,
      forwardHeaders: ['x-team'],
      cors: { allowedOrigins: ['https://app.example'], maxAgeSeconds: 60 },
      sessions: 7,
    })
    expect(routes[1]).toMatchObject({ forwardHeaders: [], cors: undefined, sessions: undefined })
  })

  it('makes numbers of durations and code points of names', async () => {
    const { limits, backends, routes, peers } = await config()
    expect(limits).toMatchObject({ drainMs: 3_000, idleSessionMs: 600_000 })
    expect(backends[0]).toMatchObject({ connectTimeoutMs: 500, firstHeaderTimeoutMs: undefined, maxConcurrency: 4 })
    expect(routes[0]?.requestTimeoutMs).toBe(90_000)
    expect(peers[0]).toMatchObject({
      profile: PROFILE.STANDARD,
      protocols: [PROTOCOL.MCP],
      assumedProtocols: [PROTOCOL.MCP],
      dial: 'onDemand',
      associations: 2,
    })
  })

  it('resolves addresses, the default backend by its wire name, and who the peer is', async () => {
    const [peer] = (await config()).peers
    expect(peer?.addresses).toEqual([
      { host: 'edge.example', port: 7443 },
      { host: '::1', port: 7444 },
    ])
    expect(peer?.defaultBackend).toBe('files')
    expect(peer?.identity).toEqual({ mode: 'any' })
  })
})
