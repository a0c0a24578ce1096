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
kind: MeshRoute
metadata: {name: local, namespace: prod}
spec:
  relayRefs: [{name: tools}]
  path: /files
  transparent: {target: {backendRef: {name: a-long-name-of-a-backend}}}
  limits: {requestTimeout: 1m30s}
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
  return readConfig(closure, {})
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
