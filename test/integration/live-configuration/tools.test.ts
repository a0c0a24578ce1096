import { Dial } from '@causeway/rpc'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { until } from '../../cluster/wait.ts'
import { cleanUp } from '../clean-up.ts'
import { answerAt, listAt } from './callers.ts'
import { addressOf, inForce, LiveWorld } from './live-world.ts'
import { httpBackend, peer, route, toBackend, toPeer } from './messages.ts'
import { ToldServer } from './told-server.ts'

const DENIED = expect.stringContaining('only what is read_only is served')
const OK = expect.stringContaining('"status":200')

/** Relay `edge`, which serves only calls that are labelled read only, so that a client sees which are. */
async function world() {
  const live = cleanUp(await LiveWorld.create(), (world) => world.stop())
  const [one, two] = await Promise.all(['one', 'two'].map(told))
  const handle = await live.newKey('edge')
  const edge = live.relay('edge')
  edge.denyUnlessReadOnly(true)
  await inForce(edge, [live.settings('edge')])
  return { live, one, two, handle, edge, http: live.http(edge) }
}

async function told(name: string): Promise<ToldServer> {
  return cleanUp(await ToldServer.open(name), (server) => server.close())
}

describe('what is known of the tools of a server, outside sessions', () => {
  it(`${requirement('RLY-018')} is forgotten when a backend is another server, until that one lists its own`, async () => {
    const { edge, http, one, two } = await world()
    await inForce(edge, [
      httpBackend('default/b', one?.url ?? ''),
      route('default/r', { target: toBackend('default/b') }),
    ])
    expect(await answerAt(http, '/r')).toEqual(DENIED)
    await listAt(http, '/r')
    expect(await answerAt(http, '/r')).toContain('"server":"one"')
    await inForce(edge, [httpBackend('default/b', one?.url ?? '', { connectTimeoutMs: 5_000n })])
    expect(await answerAt(http, '/r')).toContain('"server":"one"')
    await inForce(edge, [httpBackend('default/b', two?.url ?? '')])
    expect(await answerAt(http, '/r')).toEqual(DENIED)
    await listAt(http, '/r')
    expect(await answerAt(http, '/r')).toContain('"server":"two"')
  })

  it('is forgotten when a backend goes, and not known of the one that comes under its name', async () => {
    const { edge, http, one, two } = await world()
    await inForce(edge, [
      httpBackend('default/b', one?.url ?? ''),
      route('default/r', { target: toBackend('default/b') }),
    ])
    await listAt(http, '/r')
    await edge.apply({ upserts: [], removals: [{ kind: 'backend', name: 'default/b' }] })
    await inForce(edge, [httpBackend('default/b', two?.url ?? '')])
    expect(await answerAt(http, '/r')).toEqual(DENIED)
  })

  it('is forgotten while calls go on: no call of the other server goes by what the first said', async () => {
    const { edge, http, one, two } = await world()
    await inForce(edge, [
      httpBackend('default/b', one?.url ?? ''),
      route('default/r', { target: toBackend('default/b') }),
    ])
    await listAt(http, '/r')
    const answers: string[] = []
    let going = true
    const callers = Array.from({ length: 8 }, async () => {
      while (going) answers.push(await answerAt(http, '/r'))
    })
    await until('calls go on', () => answers.length > 20)
    await inForce(edge, [httpBackend('default/b', two?.url ?? '')])
    const seen = answers.length
    await until('calls go on', () => answers.length > seen + 20)
    going = false
    await Promise.all(callers)
    expect(answers.filter((answer) => answer.includes('"server":"two"'))).toEqual([])
    expect(answers[0]).toEqual(OK)
    expect(answers.at(-1)).toEqual(DENIED)
  })

  it(`${requirement('RLY-018')} is forgotten when the peer behind a route is somebody else; not when it has one key more`, async () => {
    const { live, edge, handle, http, one, two } = await world()
    const far = async (name: string, server: ToldServer | undefined) => {
      const pinned = await live.newKey(name)
      const relay = live.relay(name)
      const backend = httpBackend('default/kept', server?.url ?? '', {}, { peers: ['default/edge'] })
      await inForce(relay, [live.settings(name), peer('default/edge', handle, { dial: Dial.NEVER }), backend])
      return { handle: pinned, addresses: [addressOf(relay)] }
    }
    const [first, second] = [await far('first', one), await far('second', two)]
    const pinning = (handles: string[], { addresses }: typeof first) =>
      peer('default/p', first.handle, { identity: { case: 'handles', value: { handles } }, addresses })
    const remote = route('default/r', { target: toPeer('default/p', 'kept') })
    await inForce(edge, [pinning([first.handle], first), remote])
    await listAt(http, '/r')
    expect(await answerAt(http, '/r')).toContain('"server":"one"')
    await inForce(edge, [pinning([first.handle, await live.newKey('next')], first)])
    expect(await answerAt(http, '/r')).toContain('"server":"one"')
    await inForce(edge, [pinning([second.handle], second)])
    expect(await answerAt(http, '/r')).toEqual(DENIED)
    await listAt(http, '/r')
    expect(await answerAt(http, '/r')).toContain('"server":"two"')
  })
})
