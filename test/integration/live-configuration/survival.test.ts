import { Dial } from '@causeway/rpc'
import { describe, expect, it } from 'vitest'
import type { HeldResource, ResourceId } from '../../../services/relay/config-store/contract.ts'
import type { OpenAnswer } from '../../fixtures/edge/http-client.ts'
import { SeededRandom } from '../../sim/random.ts'
import { cleanUp } from '../clean-up.ts'
import { answerAt, holdModern, SessionCaller } from './callers.ts'
import { addressOf, inForce, LiveWorld } from './live-world.ts'
import { header, httpBackend, LIMITS, peer, route, toBackend, toPeer } from './messages.ts'
import { ToldServer } from './told-server.ts'

const CHANGES = 500
/** Answers nobody. */
const NOWHERE = 'http://127.0.0.1:9/mcp'

async function world() {
  const live = cleanUp(await LiveWorld.create(), (one) => one.stop())
  const [far, near] = [await ToldServer.open('far'), await ToldServer.open('near')]
  cleanUp(far, (server) => server.close())
  cleanUp(near, (server) => server.close())
  const handles = {
    edge: await live.newKey('edge'),
    tools: await live.newKey('tools'),
    other: await live.newKey('other'),
  }
  const tools = live.relay('tools')
  const edge = live.relay('edge')
  const keptOnTools = [
    peer('default/edge', handles.edge, { dial: Dial.NEVER }),
    httpBackend('default/kept', far.url, {}, { peers: ['default/edge'] }),
  ]
  await inForce(tools, [live.settings('tools'), ...keptOnTools])
  const toolsPeer = (changes: Parameters<typeof peer>[2] = {}) =>
    peer('default/tools', handles.tools, { addresses: [addressOf(tools)], ...changes })
  await inForce(edge, [
    live.settings('edge'),
    toolsPeer(),
    httpBackend('default/near', near.url),
    route('default/remote', { target: toPeer('default/tools', 'kept') }),
    route('default/local', { target: toBackend('default/near') }),
  ])
  return { live, far, near, tools, edge, handles, toolsPeer }
}

type World = Awaited<ReturnType<typeof world>>

/** A change of something on one of the relays that the streams and sessions of the test do not use, or not in a way that matters to them. */
class RandomChanges {
  readonly #world: World
  readonly #random: SeededRandom

  constructor(seed: number, of: World) {
    this.#random = new SeededRandom(seed)
    this.#world = of
  }

  async next(): Promise<void> {
    const name = this.#random.next() < 0.7 ? 'edge' : 'tools'
    const upserts: HeldResource[] = []
    const removals: ResourceId[] = []
    for (let n = this.#random.integer(1, 3); n > 0; n--) {
      const changed = this.#change(name)
      const key = ({ kind, name }: ResourceId) => `${kind} ${name}`
      if ([...upserts, ...removals].some((one) => key(one) === key(changed))) continue
      if ('version' in changed) upserts.push(changed)
      else removals.push(changed)
    }
    // Whether all of it can be in force is not what this is about.
    await this.#world[name].apply({ upserts, removals })
  }

  #change(relay: 'edge' | 'tools'): HeldResource | ResourceId {
    const { live, handles, toolsPeer, near } = this.#world
    const random = this.#random
    const n = random.integer(0, 5)
    const some = BigInt(random.integer(1, 1_000))
    switch (random.integer(0, 11)) {
      case 0:
        return route(`default/r${n}`, { target: toBackend(`default/b${random.integer(0, 5)}`), sessions: some })
      case 1:
        return route(`default/r${n}`, { path: `/odd${random.integer(0, 9)}`, target: toPeer(`default/p${n}`, 'x') })
      case 2:
        return { kind: 'route', name: `default/r${n}` }
      case 3:
        return httpBackend(`default/b${n}`, random.next() < 0.5 ? NOWHERE : near.url, { connectTimeoutMs: some })
      case 4:
        return { kind: 'backend', name: `default/b${n}` }
      case 5:
        return peer(`default/p${n}`, handles.other, {
          dial: random.next() < 0.3 ? Dial.ALWAYS : Dial.ON_DEMAND,
          addresses: [{ host: '127.0.0.1', port: 9 }],
          associations: random.integer(1, 4),
        })
      case 6:
        return { kind: 'peer', name: `default/p${n}` }
      case 7:
        return route('default/local', {
          target: toBackend('default/near'),
          sessions: 100n + some,
          maxBodyOctets: 10_000n + some,
        })
      case 8:
        return route('default/remote', { target: toPeer('default/tools', 'kept'), requestTimeoutMs: 600_000n + some })
      case 9:
        return httpBackend('default/near', near.url, {
          headers: [header('x-said', `v${some}`)],
          connectTimeoutMs: 1_000n + some,
        })
      case 10:
        return toolsPeer({ associations: random.integer(1, 4), sessionsPerPeer: 100 + random.integer(0, 100) })
      default:
        return live.settings(relay, {
          limits: { ...LIMITS, maxBodyOctets: 100_000n + some, sessionsPerRoute: 500n + some },
        })
    }
  }
}

describe('random changes of the configuration', () => {
  it(`leave what they do not concern alone: 50 streams and 20 sessions see ${CHANGES} of them`, async () => {
    const of = await world()
    const { live, edge, far, near } = of
    const http = live.http(edge)
    const sessions: SessionCaller[] = []
    for (let n = 0; n < 10; n++) {
      sessions.push(await SessionCaller.open(http, '/remote'), await SessionCaller.open(http, '/local'))
    }
    const streams: Promise<OpenAnswer>[] = sessions.map((session) => session.hold())
    for (let n = 0; n < 15; n++) streams.push(holdModern(http, '/remote'), holdModern(http, '/local'))
    const opened = streams.length
    while (far.held + near.held < opened) await new Promise((resolve) => setImmediate(resolve))

    const seed = Math.floor(Math.random() * 2 ** 32)
    const changes = new RandomChanges(seed, of)
    for (let n = 0; n < CHANGES; n++) {
      await changes.next()
      if (n % 25 !== 0) continue
      const session = sessions[(n / 25) % sessions.length]
      expect((await session?.call())?.status, `a session after ${n} changes, seed ${seed}`).toBe(200)
    }

    far.tell('after')
    near.tell('after')
    const answers = await Promise.all(streams)
    for (const answer of answers)
      expect(await answer.text((text) => text.includes('"after"')), `seed ${seed}`).toBeDefined()
    far.endAll()
    near.endAll()
    for (const answer of answers) {
      const { status, body } = await answer.whole()
      expect({ status, ended: body.includes('"ended":true') }, `seed ${seed}`).toEqual({ status: 200, ended: true })
    }
    for (const session of sessions) expect((await session.call()).status, `seed ${seed}`).toBe(200)
    expect(await answerAt(http, '/remote')).toContain('"server":"far"')
    expect([opened, sessions.length]).toEqual([50, 20])
    // The changes did come into force meanwhile.
    expect(live.lines.filter(({ msg }) => msg === 'relay settings changed').length).toBeGreaterThan(20)
    const last = httpBackend('default/near', near.url, { headers: [header('x-said', 'the last')] })
    await edge.apply({ upserts: [last], removals: [] })
    expect(await answerAt(http, '/local')).toContain('"said":"the last"')
  }, 120_000)
})
