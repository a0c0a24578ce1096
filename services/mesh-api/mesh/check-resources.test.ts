import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  aBackend,
  aPeer,
  aRelay,
  aRoute,
  HANDLE,
  inNamespace,
  load,
  OTHER_HANDLE,
  problemsOf,
} from '../fixtures/written.ts'
import { formatFieldPath } from '../load/field-path.ts'
import { checkResources } from './check-resources.ts'

const toPeer = (name: string, target?: string) => ({
  transparent: { target: { peer: { name, ...(target === undefined ? {} : { target }) } } },
})

describe('references', () => {
  it('absent and ungranted read alike', () => {
    const elsewhere = inNamespace('other', aBackend('everything'))
    expect(
      problemsOf(
        aRelay(),
        inNamespace('other', aRelay()),
        elsewhere,
        aRoute('a', { transparent: { target: { backendRef: { name: 'everything' } } } }),
        aRoute('b', toPeer('nobody')),
        aPeer('tools', { relayRefs: [{ name: 'gone' }] }),
        aBackend('local', { peers: [{ name: 'stranger' }] }),
      ),
    ).toEqual([
      'MeshRoute/default/a: spec.transparent.target.backendRef.name: not found or not permitted: MeshBackend default/everything',
      'MeshRoute/default/b: spec.transparent.target.peer.name: not found or not permitted: MeshPeer default/nobody',
      'MeshPeer/default/tools: spec.relayRefs[0].name: not found or not permitted: MeshRelay default/gone',
      'MeshBackend/default/local: spec.peers[0].name: not found or not permitted: MeshPeer default/stranger',
    ])
  })

  it('nobody is blamed for naming an object that is itself wrong', () => {
    expect(problemsOf(aRelay('edge', { limits: { drain: '2h' } }), aBackend(), aRoute())).toEqual([
      'MeshRelay/default/edge: spec.limits.drain: must be between 0s and 1h',
    ])
  })

  it('what an object uses is on every relay that the object is on', () => {
    const both = { relayRefs: [{ name: 'edge' }, { name: 'far' }] }
    expect(
      problemsOf(
        aRelay(),
        aRelay('far'),
        aBackend(),
        aPeer(),
        aRoute('a', both),
        aRoute('b', { ...both, ...toPeer('tools') }),
        aBackend('lonely', { relayRefs: [{ name: 'far' }], peers: [{ name: 'tools' }] }),
      ),
    ).toEqual([
      'MeshRoute/default/a: spec.transparent.target.backendRef.name: MeshBackend default/everything is not on relay default/far',
      'MeshRoute/default/b: spec.transparent.target.peer.name: MeshPeer default/tools is not on relay default/far',
      'MeshBackend/default/lonely: spec.peers[0].name: MeshPeer default/tools is on none of the relays of this backend',
    ])
  })

  it('a default backend lets its peer in', () => {
    const peer = aPeer('tools', { defaultBackend: { name: 'everything' } })
    expect(problemsOf(aRelay(), peer, aBackend('everything', { peers: [{ name: 'tools' }] }))).toEqual([])
    expect(problemsOf(aRelay(), peer, aBackend())).toEqual([
      'MeshPeer/default/tools: spec.defaultBackend.name: not found or not permitted: MeshBackend default/everything',
    ])
  })

  it('a peer without HELLO is told no target', () => {
    const foreign = aPeer('tools', { assumedProtocols: ['mcp'], defaultBackend: { name: 'everything' } })
    const backend = aBackend('everything', { peers: [{ name: 'tools' }] })
    expect(problemsOf(aRelay(), foreign, backend, aRoute('a', toPeer('tools')))).toEqual([])
    expect(problemsOf(aRelay(), foreign, backend, aRoute('a', toPeer('tools', 'everything')))).toEqual([
      'MeshRoute/default/a: spec.transparent.target.peer.target: MeshPeer default/tools has assumedProtocols and cannot be told a target; leave it out',
    ])
  })
})

describe('collisions', () => {
  it('a wire name belongs to the first by name, on each relay', () => {
    const named = (name: string, relays: string[], meshName?: string) =>
      aBackend(name, {
        relayRefs: relays.map((relay) => ({ name: relay })),
        ...(meshName === undefined ? {} : { meshName }),
      })
    expect(
      problemsOf(
        aRelay(),
        aRelay('far'),
        named('zeta', ['edge', 'far'], 'search'),
        named('search', ['edge']),
        named('other', ['far'], 'zeta'),
      ),
    ).toEqual([
      'MeshBackend/default/zeta: spec.meshName: the wire name search is taken on relay default/edge by MeshBackend default/search',
    ])
  })

  it('the order is that of the names, wherever they stand in the files', () => {
    const problems = [
      [aRoute('b', { path: '/x' }), aRoute('a', { path: '/x' })],
      [aRoute('a', { path: '/x' }), aRoute('b', { path: '/x' })],
    ].map((routes) => problemsOf(...routes, aRelay(), aBackend()))
    for (const found of problems) {
      expect(found).toEqual([
        'MeshRoute/default/b: spec.path: the path /x is taken on relay default/edge by MeshRoute default/a',
      ])
    }
  })

  it('the same path on two relays is no collision', () => {
    const far = { relayRefs: [{ name: 'far' }] }
    expect(
      problemsOf(
        aRelay(),
        aRelay('far'),
        aBackend(),
        aBackend('other', far),
        aRoute('a', { path: '/x' }),
        aRoute('b', { path: '/x', ...far, transparent: { target: { backendRef: { name: 'other' } } } }),
      ),
    ).toEqual([])
  })

  it(`${requirement('PH-012')} a handle is no registry's: it names one peer of a relay, and may name another on another`, () => {
    const far = aPeer('b', { relayRefs: [{ name: 'far' }] })
    expect(problemsOf(aRelay(), aRelay('far'), aPeer('a'), far)).toEqual([])
    const same = aPeer('b', { identity: { handles: [OTHER_HANDLE, HANDLE] } })
    expect(problemsOf(aRelay(), aPeer('a'), same)).toEqual([
      `MeshPeer/default/b: spec.identity.handles[1]: the handle ${HANDLE} is taken on relay default/edge by MeshPeer default/a`,
    ])
  })

  it('at most one peer of a relay accepts anybody', () => {
    const any = { identity: { acceptAny: true, acceptAnyConfirmed: true } }
    expect(problemsOf(aRelay(), aPeer('a', any), aPeer('b', any))).toEqual([
      'MeshPeer/default/b: spec.identity.acceptAny: acceptAny is taken on relay default/edge by MeshPeer default/a',
    ])
  })
})

describe('listeners', () => {
  it('a route needs an mcp listener, a peer that is never dialled an npamp listener', () => {
    const relay = aRelay('edge', { listeners: { admin: { port: 9000 } } })
    expect(problemsOf(relay, aBackend(), aRoute(), aPeer('tools', { dial: 'never' }))).toEqual([
      'MeshRoute/default/everything: spec.relayRefs[0].name: MeshRelay default/edge has no mcp listener; a route is served on it',
      'MeshPeer/default/tools: spec.relayRefs[0].name: MeshRelay default/edge has no npamp listener; a peer with dial never can only connect to it',
    ])
  })

  it('a relay with a peer has a key that the peer can know again, and one without peers needs none', () => {
    const relay = aRelay('edge', { identity: undefined, listeners: { mcp: { port: 8080 } } })
    expect(problemsOf(relay, aBackend(), aRoute())).toEqual([])
    expect(problemsOf(relay, aPeer())).toEqual([
      'MeshPeer/default/tools: spec.relayRefs[0].name: MeshRelay default/edge has no identity.keyFile; a peer knows a relay by its key',
    ])
  })

  it('a relay that only dials needs none', () => {
    const relay = aRelay('edge', { listeners: {} })
    expect(
      problemsOf(relay, aPeer('tools', { dial: 'always' }), aBackend('b', { peers: [{ name: 'tools' }] })),
    ).toEqual([])
  })
})

describe('places', () => {
  it('in files an npamp listener needs a key', () => {
    expect(problemsOf(aRelay('edge', { identity: {} }))).toEqual([
      'MeshRelay/default/edge: spec.identity.keyFile: is required with an npamp listener; `causeway keys generate` makes one',
    ])
  })

  it('in files nothing names a Secret', () => {
    const listeners = { mcp: { port: 8080, tls: { secretRef: { name: 'tls' } } } }
    const headers = [{ name: 'x-key', valueFrom: { secretRef: { name: 'key', key: 'token' } } }]
    expect(
      problemsOf(aRelay('edge', { listeners }), aBackend('a', { mcp: { url: 'http://127.0.0.1:3001/mcp', headers } })),
    ).toEqual([
      'MeshRelay/default/edge: spec.listeners.mcp.tls.secretRef: is only for clusters; name files with certFile and keyFile',
      'MeshBackend/default/a: spec.mcp.headers[0].valueFrom: is only for clusters; use valueFile or valueFromEnv',
    ])
  })

  it('on a cluster nothing names a file', () => {
    const resources = load(
      aRelay(),
      aBackend('a', { mcp: { stdio: { command: 'npx', inheritEnv: ['A', 'B'] } } }),
      aPeer('tools', { tls: { mode: 'ca', caFile: 'ca.pem' } }),
    )
    const found = checkResources(resources, { place: 'cluster' })
    expect(found.map(({ fieldPath, message }) => `${formatFieldPath(fieldPath)}: ${message}`)).toEqual([
      'spec.identity.keyFile: is only for files; the operator makes and keeps the key',
      'spec.tls.caFile: is only for files; use caSecretRef or caConfigMapRef',
      'spec.mcp.stdio.inheritEnv[0]: is only for files; a relay in a pod has no environment of yours; use env',
      'spec.mcp.stdio.inheritEnv[1]: is only for files; a relay in a pod has no environment of yours; use env',
    ])
  })
})

describe('programs', () => {
  const program = { mcp: { stdio: { command: 'node', args: ['-e', '0'] } }, peers: [] }
  const shared = (from: string) =>
    inNamespace(
      'owner',
      aRelay('edge', { identity: {}, allowedNamespaces: { from }, listeners: { mcp: { port: 8080 } } }),
    )
  const guest = (spec: Record<string, unknown>) =>
    inNamespace('guest', aBackend('tools', { peers: [], relayRefs: [{ name: 'edge', namespace: 'owner' }], ...spec }))
  const found = (...objects: readonly object[]) =>
    checkResources(load(...objects), { place: 'cluster' }).map(({ id, object: { metadata }, fieldPath, message }) =>
      [id, metadata.namespace, formatFieldPath(fieldPath), message].join(': '),
    )

  it('on a cluster only the namespace of a relay has programs started in its pods', () => {
    expect(found(shared('All'), guest(program))).toEqual([
      'ProgramNotPermitted: guest: spec.relayRefs[0].name: mcp.stdio starts a program with the rights of MeshRelay owner/edge, which only objects of namespace owner may; start the server yourself and give its mcp.url',
    ])
    const own = inNamespace('owner', aBackend('own', program))
    expect(found(shared('All'), own, guest({ mcp: { url: 'http://127.0.0.1:3001/mcp' } }))).toEqual([])
  })

  it('files are all of one person', () => {
    const relay = inNamespace('owner', aRelay('edge', { allowedNamespaces: { from: 'All' } }))
    expect(problemsOf(relay, guest(program))).toEqual([])
  })
})

it('judging 10,000 routes and peers stays linear', () => {
  const many = Array.from({ length: 4_990 }, (_, index) => [
    aRoute(`r${index}`, toPeer('tools', 'x')),
    aBackend(`b${index}`, { peers: [{ name: 'tools' }] }),
  ]).flat()
  expect(load(aRelay(), aPeer(), ...many).routes).toHaveLength(4_990)
}, 120_000)
