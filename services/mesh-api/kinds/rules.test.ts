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
import { isTransition } from '../validate/rules.ts'
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

const TERMINATING = { targets: [{ prefix: 'a', backendRef: { name: 'everything' } }] }

function terminatingRoute(fields: object): Written {
  return aRoute('everything', { transparent: undefined, terminating: { ...TERMINATING, ...fields } })
}

/** The rows of every kind with allowedNamespaces. */
function selectorRows(anObject: (name?: string, spec?: Record<string, unknown>) => Written): [Written, string][] {
  const fault = 'spec.allowedNamespaces.selector: selector is set with from Selector, and only then'
  const selector = { matchLabels: { team: 'a' } }
  return [
    [anObject(undefined, { allowedNamespaces: { from: 'Selector' } }), fault],
    [anObject(undefined, { allowedNamespaces: { from: 'All', selector } }), fault],
  ]
}

/** For every rule objects that break it and nothing else, and the place and message that come of it. */
const BROKEN: Readonly<Record<string, readonly [Written, string][]>> = {
  'MeshRelay ListenerCertificateRequired': [
    [
      aRelay('edge', { listeners: { npamp: { port: 7000, tls: { mode: 'ca', certFile: 'a.pem' } } } }),
      'spec.listeners.npamp.tls: with tls.mode ca exactly one of secretRef and certFile with keyFile is required',
    ],
  ],
  'MeshRelay ListenerCertificateUnused': [
    [
      aRelay('edge', { listeners: { npamp: { port: 7000, tls: { certFile: 'a.pem', keyFile: 'b.pem' } } } }),
      'spec.listeners.npamp.tls: certFile, keyFile and secretRef belong to tls.mode ca',
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
  'MeshRelay CertificateOnce': (['mcp', 'a2a', 'agentClient'] as const).map((name): [Written, string] => [
    aRelay('edge', { listeners: { [name]: { port: 8080, tls: { certFile: 'a.pem' } } } }),
    `spec.listeners.${name}.tls: exactly one of secretRef and certFile with keyFile is required`,
  ]),
  'MeshRelay ClientCertificatesOfFiles': [
    [
      withMcpListener({ tls: { secretRef: { name: 'tls' }, clientCAFile: 'ca.pem' } }),
      'spec.listeners.mcp.tls.clientCAFile: clientCAFile belongs to certFile and keyFile',
    ],
  ],
  'MeshRelay ClientCertificatesOfSecret': [
    [
      withMcpListener({ tls: { certFile: 'a.pem', keyFile: 'b.pem', clientCertificates: 'required' } }),
      'spec.listeners.mcp.tls.clientCertificates: clientCertificates belongs to secretRef',
    ],
  ],
  'MeshRelay RotationBeyondOverlap': [
    [
      aRelay('edge', { identity: { rotation: { every: '24h' } } }),
      'spec.identity.rotation.every: every must be longer than overlap',
    ],
  ],
  'MeshRelay StalenessKnown': [
    [
      aRelay('edge', { config: { whenStale: 'denyUnlessReadOnly' } }),
      'spec.config.maxStaleness: whenStale denyUnlessReadOnly needs maxStaleness',
    ],
  ],
  'MeshRelay EphemeralRecordsElsewhere': [
    [
      aRelay('edge', { audit: { storage: 'ephemeral' } }),
      'spec.audit.storage: storage ephemeral needs durability remote or failureMode open',
    ],
  ],
  'MeshRelay SelectorWithFrom': selectorRows(aRelay),
  'MeshRelay DurationBounds': [
    [
      aRelay('edge', { identity: { rotation: { every: '90000h' } } }),
      'spec.identity.rotation.every: must be between 1s and 87600h',
    ],
    [
      aRelay('edge', { identity: { rotation: { overlap: '9000h' } } }),
      'spec.identity.rotation.overlap: must be between 0s and 8760h',
    ],
    [aRelay('edge', { config: { maxStaleness: '0s' } }), 'spec.config.maxStaleness: must be between 1s and 8760h'],
    [aRelay('edge', { limits: { idleSession: '999ms' } }), 'spec.limits.idleSession: must be between 1s and 168h'],
    [aRelay('edge', { limits: { drain: '61m' } }), 'spec.limits.drain: must be between 0s and 1h'],
  ],
  'MeshPeer ExactlyOneIdentity': [
    [
      aPeer('tools', { identity: {} }),
      'spec.identity: exactly one of identity.handles, identity.acceptAny, identityFrom and trustAnchorRef',
    ],
    [
      aPeer('tools', { identity: { acceptAny: false } }),
      'spec.identity: exactly one of identity.handles, identity.acceptAny, identityFrom and trustAnchorRef',
    ],
    [
      aPeer('tools', { identity: { handles: [HANDLE], acceptAny: true, acceptAnyConfirmed: true } }),
      'spec.identity: exactly one of identity.handles, identity.acceptAny, identityFrom and trustAnchorRef',
    ],
  ],
  'MeshPeer AcceptAnyConfirmed': [
    [aPeer('tools', { identity: { acceptAny: true } }), 'spec.identity.acceptAny: acceptAny turns authentication'],
    [
      aPeer('tools', { identity: { acceptAny: true, acceptAnyConfirmed: false } }),
      'spec.identity.acceptAny: acceptAny turns authentication',
    ],
  ],
  'MeshPeer AddressToDial': [
    [aPeer('tools', { addresses: [] }), 'spec.addresses: at least one address is required unless dial is never'],
    [aPeer('tools', { addresses: [], dial: 'always' }), 'spec.addresses: at least one address is required'],
  ],
  'MeshPeer BundleRequired': [
    [
      aPeer('tools', { tls: { mode: 'ca', serverName: 'tools' } }),
      'spec.tls: exactly one of caFile, caSecretRef and caConfigMapRef is required when tls.mode is ca',
    ],
  ],
  'MeshPeer BundleUnused': [
    [
      aPeer('tools', { tls: { caFile: 'ca.pem' } }),
      'spec.tls: caFile, caSecretRef, caConfigMapRef and serverName belong to tls.mode ca',
    ],
    [
      aPeer('tools', { tls: { serverName: 'tools' } }),
      'spec.tls: caFile, caSecretRef, caConfigMapRef and serverName belong to tls.mode ca',
    ],
  ],
  'MeshPeer AssumedProtocolsCarried': [
    [
      aPeer('tools', { assumedProtocols: ['a2a'], defaultBackend: { name: 'everything' } }),
      'spec.assumedProtocols: names a protocol that is not among protocols',
    ],
  ],
  'MeshPeer SuccessorsOfHandles': [
    [
      aPeer('tools', { identity: {}, identityFrom: { relayRef: { name: 'edge' } }, acceptSuccessors: true }),
      'spec.acceptSuccessors: acceptSuccessors belongs to identity.handles',
    ],
  ],
  'MeshPeer SelectorWithFrom': selectorRows(aPeer),
  'MeshPeer DefaultBackendRequired': [
    [
      aPeer('tools', { assumedProtocols: ['mcp'] }),
      'spec.defaultBackend: defaultBackend is required with assumedProtocols',
    ],
  ],
  'MeshBackend WireNameLength': [
    [
      aBackend('a'.repeat(64)),
      "spec.meshName: meshName is required, because the object's name is longer than 63 octets",
    ],
  ],
  'MeshBackend HeadersAcceptable': [
    [
      aBackend('everything', { acceptHeaders: ['authorization'] }),
      'spec.acceptHeaders: names a header that never comes from a client',
    ],
    [
      aBackend('everything', { acceptHeaders: ['content-type'] }),
      'spec.acceptHeaders: names a header that never comes',
    ],
    [
      aBackend('everything', { acceptHeaders: ['mcp-session-id'] }),
      'spec.acceptHeaders: names a header that never comes',
    ],
    [
      aBackend('everything', { acceptHeaders: ['transfer-encoding'] }),
      'spec.acceptHeaders: names a header that never comes',
    ],
    [
      aBackend('everything', { acceptHeaders: ['proxy-anything'] }),
      'spec.acceptHeaders: names a header that never comes',
    ],
    [aBackend('everything', { acceptHeaders: ['accept'] }), 'spec.acceptHeaders: names a header that never comes'],
    [
      aBackend('everything', { acceptHeaders: ['mcp-protocol-version'] }),
      'spec.acceptHeaders: names a header that never comes',
    ],
  ],
  'MeshBackend ExactlyOneServer': [
    [
      aBackend('everything', { mcp: {} }),
      'spec.mcp: exactly one of mcp.url, mcp.stdio, a2a, workload and via must be set, as in url: http://',
    ],
    [
      aBackend('everything', { mcp: { url: URL, ...STDIO } }),
      'spec.mcp: exactly one of mcp.url, mcp.stdio, a2a, workload and via must be set',
    ],
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
    [
      withHeaders({ name: 'x-key' }),
      'spec.mcp.headers[0]: exactly one of value, valueFile, valueFromEnv and valueFrom',
    ],
    [
      withHeaders({ name: 'x-key', value: '1', valueFile: 'key' }),
      'spec.mcp.headers[0]: exactly one of value, valueFile, valueFromEnv and valueFrom',
    ],
    [
      withHeaders({ name: 'x-other', value: '1' }, { name: 'x-key', valueFromEnv: 'KEY', valueFile: 'key' }),
      'spec.mcp.headers[1]: exactly one of value, valueFile, valueFromEnv and valueFrom',
    ],
    [
      aBackend('everything', { mcp: {}, a2a: { cardURL: 'http://127.0.0.1:9000/card', headers: [{ name: 'x-key' }] } }),
      'spec.a2a.headers[0]: exactly one of value, valueFile, valueFromEnv and valueFrom',
    ],
  ],
  'MeshBackend VariableOneValue': [
    [
      aBackend('everything', { mcp: {}, workload: { image: 'server:1', port: 3001, env: [{ name: 'A' }] } }),
      'spec.workload.env[0]: exactly one of value and valueFrom must be set',
    ],
  ],
  'MeshBackend EnvironmentDistinct': [
    [
      aBackend('everything', {
        mcp: { stdio: { command: 'npx', env: [{ name: 'A', value: '' }], inheritEnv: ['A'] } },
      }),
      'spec.mcp.stdio: names an environment variable in env and in inheritEnv',
    ],
  ],
  'MeshBackend SelectorWithFrom': selectorRows(aBackend),
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
  'MeshRoute ExactlyOneTarget': [
    [
      terminatingRoute({ targets: [{ prefix: 'a', peer: { name: 'tools' } }, { prefix: 'b' }] }),
      'spec.terminating.targets[1]: exactly one of backendRef and peer',
    ],
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
  'MeshRoute ExactlyOneForm': [
    [aRoute('everything', { transparent: undefined }), 'spec.transparent: exactly one of transparent and terminating'],
    [
      aRoute('everything', { terminating: TERMINATING }),
      'spec.transparent: exactly one of transparent and terminating',
    ],
  ],
  'MeshRoute ExactlyOneAction': [
    [
      terminatingRoute({ guardrails: [{ name: 'a', stage: 'before' }] }),
      'spec.terminating.guardrails[0]: exactly one of redact and deny must be set',
    ],
  ],
  'MeshRoute AuthenticationSaysHow': [
    [aRoute('everything', { authentication: {} }), 'spec.authentication: at least one of clientCertificate, accessKey'],
  ],
  'MeshRoute PrincipalsAuthenticated': [
    [aRoute('everything', { principals: ['alice'] }), 'spec.principals: principals need authentication'],
  ],
  'MeshRoute CapturesNoCredentials': [
    [aRoute('everything', { captureHeaders: ['cookie'] }), 'spec.captureHeaders: authorization, cookie and proxy-*'],
  ],
  'MeshRoute PathWithoutDots': [
    [aRoute('everything', { path: '/a/../b' }), 'spec.path: must not have the segments "." or ".."'],
    [aRoute('everything', { path: '/.' }), 'spec.path: must not have the segments'],
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

it.each<[Written, string]>([
  [aPeer('tools', { relayRefs: [{ name: 'edge' }, { name: 'edge' }] }), 'spec.relayRefs[1]: stands there twice'],
  [
    aPeer('tools', {
      relayRefs: [
        { name: 'a', namespace: 'b' },
        { namespace: 'b', name: 'a' },
      ],
    }),
    'spec.relayRefs[1]: stands there twice',
  ],
  [aPeer('tools', { identity: { handles: [HANDLE, HANDLE] } }), 'spec.identity.handles[1]: stands there twice'],
  [
    aBackend('everything', { peers: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }),
    'spec.peers[2]: stands there twice',
  ],
  [
    withHeaders({ name: 'x-key', value: '1' }, { name: 'x-key', valueFile: 'key' }),
    'spec.mcp.headers[1]: has the name of an entry before it',
  ],
  [withMcpListener({ trustedProxies: ['10.0.0.0/8', '10.0.0.0/8'] }), 'spec.listeners.mcp.trustedProxies[1]: stands'],
])('lists that tell their entries apart have no two alike: %#', (object, expected) => {
  const own = problemsOf(object).filter((problem) => !problem.includes('not found or not permitted'))
  expect(own).toHaveLength(1)
  expect(own[0]).toContain(`: ${expected}`)
})

it.each(['labels', 'annotations'])('no object has more than 256 %s', (field) => {
  const relay = aRelay()
  expect(problemsOf({ ...relay, metadata: { ...relay.metadata, [field]: MANY } })).toEqual([
    `MeshRelay/default/edge: metadata.${field}: must have at most 256 entries`,
  ])
})

it('every rule of every kind stands above', () => {
  const all = KIND_NAMES.flatMap((kind) =>
    KINDS[kind].rules.filter((rule) => !isTransition(rule)).map(({ id }) => `${kind} ${id}`),
  )
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
