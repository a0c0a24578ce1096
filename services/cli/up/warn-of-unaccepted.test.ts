import { loadResources } from '@causeway/mesh-api'
import { expect, it } from 'vitest'
import { warnOfUnaccepted } from './warn-of-unaccepted.ts'

const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'mesh.causeway.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
})

it('names headers that a route forwards and its backend does not accept, of the relays to start', () => {
  const route = (name: string, relay: string, backend: string, forwardHeaders: readonly string[]) =>
    object('MeshRoute', name, {
      relayRefs: [{ name: relay }],
      path: `/${name}`,
      forwardHeaders,
      transparent: { target: { backendRef: { name: backend } } },
    })
  const relayRefs = [{ name: 'edge' }]
  const url = 'http://127.0.0.1:3001/mcp'
  const objects = [
    ...['edge', 'far'].map((name) => object('MeshRelay', name, { listeners: { mcp: { port: 0 } } })),
    object('MeshBackend', 'tools', { relayRefs, mcp: { url }, acceptHeaders: ['x-tenant'] }),
    object('MeshBackend', 'program', { relayRefs, mcp: { stdio: { command: 'node' } } }),
    object('MeshBackend', 'other', { relayRefs: [{ name: 'far' }], mcp: { url } }),
    route('some', 'edge', 'tools', ['x-tenant', 'x-region', 'x-zone']),
    route('all', 'edge', 'tools', ['x-tenant']),
    route('none', 'edge', 'program', ['x-tenant']),
    route('elsewhere', 'far', 'other', ['x-tenant']),
  ]
  const octets = new TextEncoder().encode(objects.map((one) => JSON.stringify(one)).join('\n---\n'))
  const warnings: unknown[] = []
  const plan = { resources: loadResources([{ name: 'mesh.yaml', octets }]), relayNames: ['default/edge'] }
  warnOfUnaccepted(plan, { warning: (warning) => warnings.push(warning) })
  const fieldPath = 'spec.forwardHeaders'
  expect(warnings).toEqual([
    {
      kind: 'MeshRoute',
      name: 'default/none',
      fieldPath,
      message: 'x-tenant: dropped, as MeshBackend/default/program is a program (spec.mcp.stdio), which gets no headers',
    },
    {
      kind: 'MeshRoute',
      name: 'default/some',
      fieldPath,
      message: 'x-region, x-zone: dropped, as spec.acceptHeaders of MeshBackend/default/tools does not name them',
    },
  ])
})
