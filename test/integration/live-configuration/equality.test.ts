import type { Relay } from '@causeway/relay'
import { Dial, Reachability } from '@causeway/rpc'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HeldResource, ResourceId } from '../../../services/relay/config-store/contract.ts'
import { until } from '../../cluster/wait.ts'
import type { HttpClient } from '../../fixtures/edge/http-client.ts'
import { cleanUp } from '../clean-up.ts'
import { modernCall } from '../clients.ts'
import { answerAt } from './callers.ts'
import { addressOf, inForce, LiveWorld } from './live-world.ts'
import { header, httpBackend, LIMITS, peer, route, toBackend, toPeer } from './messages.ts'
import { ToldServer } from './told-server.ts'

const RUNS = 25

/** One configuration of the relay, by numbers; whatever cannot be together is left out when it is made. */
const configuration = fc.record({
  settings: fc.record({ small: fc.boolean(), sessions: fc.integer({ min: 1, max: 50 }), door: fc.boolean() }),
  backends: fc.array(fc.record({ server: fc.integer({ min: 0, max: 1 }), said: fc.integer({ min: 0, max: 3 }) }), {
    maxLength: 4,
  }),
  peers: fc.array(
    fc.record({ real: fc.boolean(), always: fc.boolean(), associations: fc.integer({ min: 1, max: 3 }) }),
    { maxLength: 3 },
  ),
  routes: fc.array(
    fc.record({
      path: fc.integer({ min: 0, max: 6 }),
      toPeer: fc.boolean(),
      to: fc.integer({ min: 0, max: 3 }),
      small: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
})

type Configuration = typeof configuration extends fc.Arbitrary<infer Value> ? Value : never

describe('a relay after any changes', () => {
  it('does what one does that was started with the last of them', async () => {
    const live = cleanUp(await LiveWorld.create(), (world) => world.stop())
    const servers = [await ToldServer.open('one'), await ToldServer.open('two')]
    for (const server of servers) cleanUp(server, (one) => one.close())
    const handles = {
      edge: await live.newKey('edge'),
      tools: await live.newKey('tools'),
      nobody: await live.newKey('nobody'),
    }
    const tools = live.relay('tools')
    await inForce(tools, [
      live.settings('tools'),
      peer('default/edge', handles.edge, { dial: Dial.NEVER }),
      httpBackend('default/kept', servers[0]?.url ?? '', {}, { peers: ['default/edge'] }),
    ])

    const resources = (of: Configuration, replica: string): readonly HeldResource[] => [
      live.settings('edge', {
        replica,
        mcp: { host: '127.0.0.1', port: 0, allowedHosts: of.settings.door ? ['door.example'] : [] },
        limits: {
          ...LIMITS,
          maxBodyOctets: of.settings.small ? 1_000n : 100_000n,
          sessionsPerRoute: BigInt(of.settings.sessions),
        },
      }),
      ...of.backends.map(({ server, said }, n) =>
        httpBackend(`default/b${n}`, servers[server]?.url ?? '', { headers: [header('x-said', `${said}`)] }),
      ),
      ...of.peers.map(({ real, always, associations }, n) =>
        peer(`default/p${n}`, real && isFirstReal(of, n) ? handles.tools : handles.nobody, {
          addresses: [real ? addressOf(tools) : { host: '127.0.0.1', port: 9 }],
          dial: always ? Dial.ALWAYS : Dial.ON_DEMAND,
          associations,
        }),
      ),
      ...of.routes.flatMap(({ path, toPeer: isPeer, to, small }, n) => {
        const isFirst = of.routes.findIndex((one) => one.path === path) === n
        if (!isFirst || (isPeer ? of.peers : of.backends)[to] === undefined) return []
        const target = isPeer ? toPeer(`default/p${to}`, 'kept') : toBackend(`default/b${to}`)
        return [route(`default/r${n}`, { path: `/path${path}`, target, ...(small ? { maxBodyOctets: 700n } : {}) })]
      }),
    ]

    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(configuration, { minLength: 2, maxLength: 6 }), async (steps) => {
        const changed = live.relay('edge')
        const fresh = live.relay('edge')
        const replica = `run-${++runs}`
        let before: readonly HeldResource[] = []
        for (const step of steps) {
          const after = withoutDoubles(resources(step, replica))
          await inForce(changed, different(before, after), missing(before, after))
          before = after
        }
        const last = steps.at(-1)
        if (last !== undefined) await inForce(fresh, withoutDoubles(resources(last, `${replica}-fresh`)))
        try {
          const dialled =
            last?.peers.flatMap(({ real, always }, n) =>
              real && always && isFirstReal(last, n) ? [`default/p${n}`] : [],
            ) ?? []
          expect(await observed(changed, live.http(changed), dialled)).toEqual(
            await observed(fresh, live.http(fresh), dialled),
          )
        } finally {
          await Promise.all([changed.stop(), fresh.stop()])
        }
      }),
      { numRuns: RUNS },
    )
  }, 240_000)
})

function isFirstReal({ peers }: Configuration, index: number): boolean {
  return peers.findIndex(({ real }) => real) === index
}

function isReached(relay: Relay, name: string): boolean {
  const state = relay.status.current().peers.find((one) => one.name === name)
  return state?.reachable === Reachability.REACHABLE
}

/** Peers that nobody is behind share no handle either. */
function withoutDoubles(resources: readonly HeldResource[]): HeldResource[] {
  const handles = new Set<string>()
  const gone = new Set<string>()
  const kept = resources.filter((resource) => {
    if (resource.kind !== 'peer') return true
    const handle = resource.message.identity.case === 'handles' ? resource.message.identity.value.handles[0] : ''
    const isDouble = handle === undefined || handles.has(handle)
    if (isDouble) gone.add(resource.name)
    else handles.add(handle)
    return !isDouble
  })
  return kept.filter((resource) => {
    if (resource.kind !== 'route' || resource.message.target.case !== 'peer') return true
    return !gone.has(resource.message.target.value.peer)
  })
}

const keyOf = ({ kind, name }: ResourceId): string => `${kind} ${name}`

function different(before: readonly HeldResource[], after: readonly HeldResource[]): HeldResource[] {
  const known = new Map(before.map((resource) => [keyOf(resource), resource.version]))
  return after.filter((resource) => known.get(keyOf(resource)) !== resource.version)
}

function missing(before: readonly HeldResource[], after: readonly HeldResource[]): ResourceId[] {
  const kept = new Set(after.map(keyOf))
  return before.filter((resource) => !kept.has(keyOf(resource))).map(({ kind, name }) => ({ kind, name }))
}

/** All that can be seen of a relay from outside. */
async function observed(relay: Relay, http: HttpClient, dialled: readonly string[]): Promise<unknown> {
  const paths = Array.from({ length: 7 }, (_, n) => `/path${n}`)
  const answers: string[] = []
  for (const path of paths) answers.push(await answerAt(http, path))
  const sizes: number[] = []
  const large = modernCall('echo', { text: 'x'.repeat(1_200) }, 1)
  for (const path of paths) sizes.push((await http.post(large.body, large.headers, path)).status)
  const foreign = await http.post('{}', { host: 'door.example' }, '/path0')
  await until('peers that are always dialled are reached', () => dialled.every((name) => isReached(relay, name)))
  const { peers, backends, peerHandle, heldIdentities } = relay.status.current()
  return {
    answers,
    sizes,
    foreign: foreign.status,
    peers: peers.map(({ name }) => name).sort(),
    backends: backends.map(({ name }) => name).sort(),
    peerHandle,
    heldIdentities,
    listeners: Object.keys(relay.addresses).sort(),
  }
}
