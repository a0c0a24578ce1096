import { describe, expect, it } from 'vitest'
import {
  aBackend,
  aPeer,
  aRelay,
  aRoute,
  HANDLE,
  load,
  OTHER_HANDLE,
  problemsOf,
  type Written,
} from '../fixtures/written.ts'
import { KIND_NAMES, KINDS } from './all-kinds.ts'

const MANY = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`k${index}`, 'v']))

const URL = 'http://127.0.0.1:3001/mcp'
const STDIO = { stdio: { command: 'npx' } }

function withHeaders(...headers: object[]): Written {
  return aBackend('everything', { mcp: { url: URL, headers } })
}

function withMcpListener(fields: object): Written {
  return aRelay('edge', { listeners: { mcp: { port: 8080, ...fields } } })
}

function forwarding(...forwardHeaders: string[]): Written {
  return aRoute('everything', { forwardHeaders })
}

/** For every rule objects that break it and nothing else, and the place and message that come of it. */
const BROKEN: Readonly<Record<string, readonly [Written, string][]>> = {
  'MeshRelay KeyFileRequired': [
    [aRelay('edge', { identity: {} }), 'spec.identity.keyFile: is required with an npamp listener'],
  ],
  'MeshRelay ListenerCertificateRequired': [
    [
      aRelay('edge', { listeners: { npamp: { port: 7000, tls: { mode: 'ca', certFile: 'a.pem' } } } }),
      'spec.listeners.npamp.tls: certFile and keyFile are required',
    ],
  ],
  'MeshRelay ListenerCertificateUnused': [
    [
      aRelay('edge', { listeners: { npamp: { port: 7000, tls: { certFile: 'a.pem', keyFile: 'b.pem' } } } }),
      'spec.listeners.npamp.tls: certFile and keyFile belong to tls.mode ca',
    ],
  ],
  'MeshRelay ListenersDistinct': [
    [
      aRelay('edge', { listeners: { mcp: { port: 8080 }, admin: { host: '127.0.0.1', port: 8080 } } }),
      'spec.listeners: two listeners have the same host and port',
    ],
  ],
  'MeshRelay HalfOpenPerSourceWithinTotal': [
    [
      aRelay('edge', { limits: { halfOpenHandshakes: 8, halfOpenPerSource: 9 } }),
      'spec.limits.halfOpenPerSource: halfOpenPerSource must not exceed halfOpenHandshakes',
    ],
  ],
  'MeshRelay EventStoreWithinTotal': [
    [
      aRelay('edge', { limits: { eventStoreBytes: 2048, eventStoreTotalBytes: 2047 } }),
      'spec.limits.eventStoreBytes: eventStoreBytes, which one session may have, must not exceed',
    ],
  ],
  'MeshRelay ListenerListsDistinct': [
    [withMcpListener({ allowedHosts: ['a', 'a'] }), 'spec.listeners.mcp.allowedHosts: names one of them twice'],
    [
      withMcpListener({ allowedOrigins: ['https://a', 'https://a'] }),
      'spec.listeners.mcp.allowedOrigins: names one of them twice',
    ],
    [
      withMcpListener({ trustedProxies: ['10.0.0.0/8', '10.0.0.0/8'] }),
      'spec.listeners.mcp.trustedProxies: names one of them twice',
    ],
  ],
  'MeshRelay DurationBounds': [
    [aRelay('edge', { limits: { idleSession: '999ms' } }), 'spec.limits.idleSession: must be between 1s and 168h'],
    [aRelay('edge', { limits: { drain: '61m' } }), 'spec.limits.drain: must be between 0s and 1h'],
  ],
  'MeshPeer RelayRefsDistinct': [
    [aPeer('tools', { relayRefs: [{ name: 'edge' }, { name: 'edge' }] }), 'spec.relayRefs: names a relay twice'],
  ],
  'MeshPeer ExactlyOneIdentity': [
    [aPeer('tools', { identity: {} }), 'spec.identity: exactly one of handles and acceptAny'],
    [aPeer('tools', { identity: { acceptAny: false } }), 'spec.identity: exactly one of handles and acceptAny'],
    [
      aPeer('tools', { identity: { handles: [HANDLE], acceptAny: true, acceptAnyConfirmed: true } }),
      'spec.identity: exactly one of handles and acceptAny',
    ],
  ],
  'MeshPeer AcceptAnyConfirmed': [
    [aPeer('tools', { identity: { acceptAny: true } }), 'spec.identity.acceptAny: acceptAny turns authentication'],
    [
      aPeer('tools', { identity: { acceptAny: true, acceptAnyConfirmed: false } }),
      'spec.identity.acceptAny: acceptAny turns authentication',
    ],
  ],
  'MeshPeer HandlesDistinct': [
    [aPeer('tools', { identity: { handles: [HANDLE, HANDLE] } }), 'spec.identity.handles: names a handle twice'],
  ],
  'MeshPeer AddressesDistinct': [
    [aPeer('tools', { addresses: ['npamp://a:1', 'npamp://a:1'] }), 'spec.addresses: names an address twice'],
  ],
  'MeshPeer AddressToDial': [
    [aPeer('tools', { addresses: [] }), 'spec.addresses: at least one address is required unless dial is never'],
    [aPeer('tools', { addresses: [], dial: 'always' }), 'spec.addresses: at least one address is required'],
  ],
  'MeshPeer ProfileAvailable': [
    [aPeer('tools', { profile: 'High' }), 'spec.profile: only the profile Standard is available'],
    [aPeer('tools', { profile: 'Sovereign' }), 'spec.profile: only the profile Standard is available'],
  ],
  'MeshPeer BundleRequired': [
    [
      aPeer('tools', { tls: { mode: 'ca', serverName: 'tools' } }),
      'spec.tls.caFile: caFile is required when tls.mode is ca',
    ],
  ],
  'MeshPeer BundleUnused': [
    [aPeer('tools', { tls: { caFile: 'ca.pem' } }), 'spec.tls: caFile and serverName belong to tls.mode ca'],
    [aPeer('tools', { tls: { serverName: 'tools' } }), 'spec.tls: caFile and serverName belong to tls.mode ca'],
  ],
  'MeshPeer ProtocolsDistinct': [
    [aPeer('tools', { protocols: ['mcp', 'mcp'] }), 'spec.protocols: names a protocol twice'],
  ],
  'MeshPeer AssumedProtocolsCarried': [
    [
      aPeer('tools', { assumedProtocols: ['mcp', 'mcp'], defaultBackend: { name: 'everything' } }),
      'spec.assumedProtocols: names a protocol twice',
    ],
  ],
  'MeshPeer DefaultBackendRequired': [
    [
      aPeer('tools', { assumedProtocols: ['mcp'] }),
      'spec.defaultBackend: defaultBackend is required with assumedProtocols',
    ],
  ],
  'MeshBackend RelayRefsDistinct': [
    [
      aBackend('everything', { relayRefs: [{ name: 'edge' }, { name: 'edge' }] }),
      'spec.relayRefs: names a relay twice',
    ],
  ],
  'MeshBackend WireNameLength': [
    [
      aBackend('a'.repeat(64)),
      "spec.meshName: meshName is required, because the object's name is longer than 63 octets",
    ],
  ],
  'MeshBackend PeersDistinct': [
    [aBackend('everything', { peers: [{ name: 'tools' }, { name: 'tools' }] }), 'spec.peers: names a peer twice'],
  ],
  'MeshBackend HeadersAcceptable': [
    [
      aBackend('everything', { acceptHeaders: ['authorization'] }),
      'spec.acceptHeaders: names a header twice, or one that never comes from a client',
    ],
    [aBackend('everything', { acceptHeaders: ['content-type'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['mcp-session-id'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['transfer-encoding'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['proxy-anything'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['accept'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['mcp-protocol-version'] }), 'spec.acceptHeaders: names a header twice'],
    [aBackend('everything', { acceptHeaders: ['x-tenant', 'x-tenant'] }), 'spec.acceptHeaders: names a header twice'],
  ],
  'MeshBackend ExactlyOneServer': [
    [aBackend('everything', { mcp: {} }), 'spec.mcp: exactly one of url and stdio must be set, as in url: http://'],
    [aBackend('everything', { mcp: { url: URL, ...STDIO } }), 'spec.mcp: exactly one of url and stdio must be set'],
  ],
  'MeshBackend TransportWithUrl': [
    [
      aBackend('everything', { mcp: { ...STDIO, transport: 'HTTPSSE' } }),
      'spec.mcp.transport: transport belongs to url; a stdio server has none',
    ],
  ],
  'MeshBackend HeadersWithUrl': [
    [
      aBackend('everything', { mcp: { ...STDIO, headers: [{ name: 'authorization', value: 'x' }] } }),
      'spec.mcp.headers: headers belong to url; give a stdio server what it needs with stdio.env',
    ],
  ],
  'MeshBackend AcceptHeadersWithUrl': [
    [
      aBackend('everything', { mcp: STDIO, acceptHeaders: ['x-tenant'] }),
      'spec.acceptHeaders: acceptHeaders belong to url',
    ],
  ],
  'MeshBackend LimitsOfUrl': [
    [aBackend('everything', { mcp: STDIO, limits: { connectTimeout: '3s' } }), 'spec.limits: connectTimeout'],
    [aBackend('everything', { mcp: STDIO, limits: { firstHeaderTimeout: '3s' } }), 'spec.limits: connectTimeout'],
    [aBackend('everything', { mcp: STDIO, limits: { maxConcurrency: 3 } }), 'spec.limits: connectTimeout'],
  ],
  'MeshBackend LimitsOfStdio': [
    [aBackend('everything', { limits: { maxProcesses: 3 } }), 'spec.limits: maxProcesses'],
    [aBackend('everything', { limits: { maxSessionProcesses: 3 } }), 'spec.limits: maxProcesses'],
    [aBackend('everything', { limits: { maxQueued: 0 } }), 'spec.limits: maxProcesses'],
  ],
  'MeshBackend HeaderNamesDistinct': [
    [
      withHeaders({ name: 'x-key', value: '1' }, { name: 'x-key', valueFile: 'key' }),
      'spec.mcp.headers: names a header twice',
    ],
  ],
  'MeshBackend HeaderNamesFree': [
    [withHeaders({ name: 'host', value: '1' }), 'spec.mcp.headers: names a header that the relay writes itself'],
    [withHeaders({ name: 'content-type', value: '1' }), 'spec.mcp.headers: names a header that the relay'],
    [withHeaders({ name: 'mcp-session-id', value: '1' }), 'spec.mcp.headers: names a header that the relay'],
    [withHeaders({ name: 'mcp-param-x', value: '1' }), 'spec.mcp.headers: names a header that the relay'],
    [withHeaders({ name: 'proxy-authorization', value: '1' }), 'spec.mcp.headers: names a header that the relay'],
    [withHeaders({ name: 'accept', value: '1' }), 'spec.mcp.headers: names a header that the relay'],
  ],
  'MeshBackend HeadersNotAccepted': [
    [
      aBackend('everything', {
        mcp: { url: URL, headers: [{ name: 'x-tenant', value: 'a' }] },
        acceptHeaders: ['x-tenant'],
      }),
      'spec.mcp.headers: names a header of acceptHeaders too',
    ],
  ],
  'MeshBackend HeaderOneValue': [
    [withHeaders({ name: 'x-key' }), 'spec.mcp.headers: each header needs exactly one of value'],
    [withHeaders({ name: 'x-key', value: '1', valueFile: 'key' }), 'spec.mcp.headers: each header needs exactly one'],
    [withHeaders({ name: 'x-key', valueFromEnv: 'KEY', valueFile: 'key' }), 'spec.mcp.headers: each header needs'],
  ],
  'MeshBackend EnvironmentDistinct': [
    [
      aBackend('everything', {
        mcp: { stdio: { command: 'npx', env: [{ name: 'A', value: '' }], inheritEnv: ['A'] } },
      }),
      'spec.mcp.stdio: names an environment variable twice',
    ],
    [
      aBackend('everything', { mcp: { stdio: { command: 'npx', inheritEnv: ['A', 'A'] } } }),
      'spec.mcp.stdio: names an environment variable twice',
    ],
    [
      aBackend('everything', {
        mcp: {
          stdio: {
            command: 'npx',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        },
      }),
      'spec.mcp.stdio: names an environment variable twice',
    ],
  ],
  'MeshBackend DurationBounds': [
    [
      aBackend('everything', { limits: { connectTimeout: '0s' } }),
      'spec.limits.connectTimeout: must be between 1ms and 24h',
    ],
    [
      aBackend('everything', { limits: { firstHeaderTimeout: '25h' } }),
      'spec.limits.firstHeaderTimeout: must be between',
    ],
  ],
  'MeshRoute RelayRefsDistinct': [
    [aRoute('everything', { relayRefs: [{ name: 'edge' }, { name: 'edge' }] }), 'spec.relayRefs: names a relay twice'],
  ],
  'MeshRoute ExactlyOneTarget': [
    [
      aRoute('everything', { transparent: { target: {} } }),
      'spec.transparent.target: exactly one of backendRef and peer',
    ],
    [
      aRoute('everything', {
        transparent: { target: { backendRef: { name: 'everything' }, peer: { name: 'tools' } } },
      }),
      'spec.transparent.target: exactly one of backendRef and peer',
    ],
  ],
  'MeshRoute PathWithoutDots': [
    [aRoute('everything', { path: '/a/../b' }), 'spec.path: must not have the segments "." or ".."'],
    [aRoute('everything', { path: '/.' }), 'spec.path: must not have the segments'],
  ],
  'MeshRoute ForwardHeadersDistinct': [
    [forwarding('x-tenant', 'x-tenant'), 'spec.forwardHeaders: names a header twice'],
  ],
  'MeshRoute ForwardsNoCredentials': [
    [
      forwarding('authorization'),
      "spec.forwardHeaders: authorization, cookie and proxy-* are the client's credentials",
    ],
    [forwarding('cookie'), 'spec.forwardHeaders: authorization, cookie'],
    [forwarding('proxy-authorization'), 'spec.forwardHeaders: authorization, cookie'],
  ],
  'MeshRoute ForwardsNoFraming': [
    [forwarding('host'), 'spec.forwardHeaders: host, content-*'],
    [forwarding('content-encoding'), 'spec.forwardHeaders: host, content-*'],
    [forwarding('transfer-encoding'), 'spec.forwardHeaders: host, content-*'],
  ],
  'MeshRoute ForwardsNothingOfMcp': [
    [forwarding('mcp-session-id'), 'spec.forwardHeaders: mcp-*, accept'],
    [forwarding('mcp-param-region'), 'spec.forwardHeaders: mcp-*, accept'],
    [forwarding('last-event-id'), 'spec.forwardHeaders: mcp-*, accept'],
  ],
  'MeshRoute CorsOriginsDistinct': [
    [
      aRoute('everything', { cors: { allowedOrigins: ['https://a.example', 'https://a.example'] } }),
      'spec.cors.allowedOrigins: names an origin twice',
    ],
  ],
  'MeshRoute DurationBounds': [
    [
      aRoute('everything', { cors: { allowedOrigins: ['https://a.example'], maxAge: '25h' } }),
      'spec.cors.maxAge: must be between 0s and 24h',
    ],
    [
      aRoute('everything', { limits: { requestTimeout: '0ms' } }),
      'spec.limits.requestTimeout: must be between 1ms and 24h',
    ],
  ],
}

describe.each(Object.entries(BROKEN))('rule %s', (_, cases) => {
  it.each(cases)('%#', (object, expected) => {
    const own = problemsOf(object).filter((problem) => !problem.includes('not found or not permitted'))
    expect(own).toHaveLength(1)
    expect(own[0]).toContain(`${object.kind}/default/${object.metadata.name}: ${expected}`)
  })
})

it.each(['labels', 'annotations'])('no object has more than 256 %s', (field) => {
  const relay = aRelay()
  expect(problemsOf({ ...relay, metadata: { ...relay.metadata, [field]: MANY } })).toEqual([
    `MeshRelay/default/edge: metadata.${field}: must have at most 256 entries`,
  ])
})

it('every rule of every kind stands above', () => {
  const all = KIND_NAMES.flatMap((kind) => KINDS[kind].rules.map(({ id }) => `${kind} ${id}`))
  expect(new Set(Object.keys(BROKEN))).toEqual(new Set(all))
})

it('what keeps every rule is accepted, with the documented defaults', () => {
  const resources = load(
    aRelay('edge', {
      listeners: {
        npamp: { port: 0, tls: { mode: 'ca', certFile: 'c.pem', keyFile: 'k.pem' } },
        mcp: {
          port: 0,
          tls: { certFile: 'c.pem', keyFile: 'k.pem', clientCAFile: 'ca.pem' },
          publicURL: 'https://mcp.example.com/tools',
          trustedProxies: ['10.0.0.0/8', 'fd00::/8', '192.0.2.7'],
        },
        admin: { port: 0 },
      },
    }),
    aPeer('tools', {
      identity: { handles: [HANDLE, OTHER_HANDLE] },
      tls: { mode: 'ca', caFile: 'ca.pem', serverName: 'tools.example.com' },
      assumedProtocols: ['mcp'],
      defaultBackend: { name: 'everything' },
    }),
    aPeer('guests', { identity: { acceptAny: true, acceptAnyConfirmed: true }, dial: 'never', addresses: [] }),
    aBackend('everything', {
      peers: [{ name: 'tools' }, { name: 'guests' }],
      acceptHeaders: ['x-tenant'],
      limits: { connectTimeout: '3s' },
    }),
    aBackend('keyed', {
      mcp: {
        url: URL,
        transport: 'HTTPSSE',
        headers: [
          { name: 'authorization', valueFile: 'key' },
          { name: 'x-tenant', value: 'a b' },
        ],
      },
    }),
    aBackend('process', {
      mcp: { stdio: { command: 'npx', args: ['-y', ''], env: [{ name: 'KEY', value: '' }], inheritEnv: ['TOKEN'] } },
      limits: { maxProcesses: 1, maxSessionProcesses: 1, maxQueued: 0 },
    }),
    aRoute('everything', {
      path: '/',
      forwardHeaders: ['x-tenant'],
      cors: { allowedOrigins: ['https://app.example.com'] },
      limits: { requestTimeout: '1m', sessions: 5 },
    }),
  )
  expect(resources.relays[0]?.spec.limits).toEqual({
    maxBodyBytes: 4_194_304,
    maxHeaderBytes: 16_384,
    maxReplyBytes: 16_711_680,
    sessionsPerRoute: 10_000,
    sessionsPerPrincipal: 5_000,
    streamsPerSession: 16,
    eventStoreEvents: 1_000,
    eventStoreBytes: 1_048_576,
    eventStoreTotalBytes: 67_108_864,
    idleSession: '1h',
    drain: '10s',
    halfOpenHandshakes: 256,
    halfOpenPerSource: 16,
  })
  expect(resources.peers[0]?.spec).toMatchObject({
    dial: 'never',
    profile: 'Standard',
    associations: 2,
    tls: { mode: 'pinned' },
    postQuantum: 'prefer',
    protocols: ['mcp'],
    maxFrameBytes: 16_777_216,
    limits: { sessionsPerPeer: 256 },
  })
  expect(resources.routes[0]?.spec).toMatchObject({ cors: { maxAge: '10m' }, transparent: { trustAnnotations: true } })
  expect(resources.backends[2]?.spec.mcp).toEqual({
    headers: [],
    stdio: { command: 'npx', args: ['-y', ''], env: [{ name: 'KEY', value: '' }], inheritEnv: ['TOKEN'] },
  })
})
