import { describe, expect, it } from 'vitest'
import { BROKEN } from '../fixtures/broken/all.ts'
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

const withHeaders = (...headers: object[]) => aBackend('everything', { mcp: { url: URL, headers } })

const withMcpListener = (fields: object) => aRelay('edge', { listeners: { mcp: { port: 8080, ...fields } } })

/** What stands beside an object, and what this version does not do, is judged elsewhere. */
const OF_OTHERS = /not found or not permitted|is not implemented yet|is only for/

const ownProblemsOf = (object: Written) => problemsOf(object).filter((problem) => !OF_OTHERS.test(problem))

const rows = KIND_NAMES.flatMap((kind) =>
  Object.entries(BROKEN[kind]).map(([id, cases]): [string, typeof cases] => [`${kind} ${id}`, cases]),
)

describe.each(rows)('rule %s', (_, cases) => {
  it.each(cases)('%#', (object, expected) => {
    const own = ownProblemsOf(object)
    expect(own).toHaveLength(1)
    expect(own[0]).toContain(`${object.kind}/default/${object.metadata.name}: ${expected}`)
  })
})

it.each<[Written, string]>([
  [aPeer('tools', { identity: { handles: [HANDLE, HANDLE] } }), 'spec.identity.handles[1]: stands there twice'],
  [
    withHeaders({ name: 'x-key', value: '1' }, { name: 'x-key', valueFile: 'key' }),
    'spec.mcp.headers[1]: has the name of an entry before it',
  ],
  [withMcpListener({ trustedProxies: ['10.0.0.0/8', '10.0.0.0/8'] }), 'spec.listeners.mcp.trustedProxies[1]: stands'],
])('lists that tell their entries apart have no two alike: %#', (object, expected) => {
  const own = ownProblemsOf(object)
  expect(own).toHaveLength(1)
  expect(own[0]).toContain(`: ${expected}`)
})

it.each(['labels', 'annotations'])('no object has more than 256 %s', (field) => {
  const relay = aRelay()
  expect(problemsOf({ ...relay, metadata: { ...relay.metadata, [field]: MANY } })).toEqual([
    `MeshRelay/default/edge: metadata.${field}: must have at most 256 entries`,
  ])
})

it.each(KIND_NAMES)('every rule of %s is broken above', (kind) => {
  const rules = KINDS[kind].rules.filter((rule) => !isTransition(rule)).map(({ id }) => id)
  expect(new Set(Object.keys(BROKEN[kind]))).toEqual(new Set(rules))
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
