import { DeltaErrorCode, RpcError } from '@causeway/rpc'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { controlledWorld, settled } from '../../../test/fixtures/control/controlled-world.ts'
import { backend, delta, positions, relaySettings, removedRoute, route } from '../../../test/fixtures/control/deltas.ts'
import { LiveRelayDouble } from '../../../test/fixtures/control/live-relay-double.ts'
import { ScriptedControlPlane } from '../../../test/fixtures/control/scripted-control-plane.ts'

const settings = () => relaySettings('default/edge', 60_000n)
const first = (value = 1n) => delta({ upserts: [settings(), route('default/a', '/a')], positions: positions(value) })

describe('a relay and its control plane', () => {
  it('says who it is and what it has, takes what it is sent, and is ready then', async () => {
    const { plane, relay, live, metrics } = await controlledWorld()
    const stream = await plane.next()
    expect(await stream.hello()).toMatchObject({
      namespace: 'default',
      relay: 'edge',
      ordinal: 2,
      bootId: '01920000-0000-7000-8000-000000000000',
      softwareVersion: '1.2.3',
      held: [],
      positions: [],
    })
    expect(relay.ready()).toEqual({ ok: false, reasons: ['no configuration is in force'] })
    const reply = await stream.send(first())
    expect([reply.error, reply.refusals]).toEqual([undefined, []])
    expect(relay.ready().ok).toBe(true)
    expect([...live.inForce.keys()]).toEqual(['relay default/edge', 'route default/a'])
    expect(metrics.value('causeway_config_connected')).toBe(1)
    expect(metrics.value('causeway_config_deltas_total', { result: 'accepted' })).toBe(1)
  })

  it('answers each Delta in order, and once more when what is refused has changed', async () => {
    const live = new LiveRelayDouble(({ message }) => 'path' in message && message.path === '/pending')
    const { plane, metrics } = await controlledWorld({ live })
    const stream = await plane.next()
    await stream.send(first())
    const pending = delta({ upserts: [route('default/a', '/pending')] })
    const reply = await stream.send(pending)
    expect(reply.refusals).toMatchObject([{ name: 'default/a', reason: 'CredentialPending' }])
    expect(metrics.value('causeway_config_resources_refused')).toBe(1)
    live.refuses = () => false
    live.judgeAgain()
    expect(await stream.reply()).toMatchObject({ nonce: pending.nonce, refusals: [] })
  })

  it(`${requirement('RLY-003', 'RLY-008', 'RLY-020')} that starts with a volume is ready before any control plane answers, and says what it has`, async () => {
    const before = await controlledWorld()
    await (await before.plane.next()).send(first(7n))
    const plane = new ScriptedControlPlane()
    plane.refusal = new RpcError('UNAVAILABLE', 'not here')
    const { relay, live, pass } = await controlledWorld({ folder: before.folder, planes: [plane] })
    expect(relay.ready().ok).toBe(true)
    expect(live.inForce).toEqual(before.live.inForce)
    plane.refusal = undefined
    await pass(1_000)
    const hello = await (await plane.next()).hello()
    expect(hello.held.map(({ name }) => name)).toEqual(['default/edge', 'default/a'])
    expect(hello.positions.map(({ position }) => position?.value)).toEqual([7n, 7n])
  })

  it('leaves in order: the stream ends, then the relay drains', async () => {
    const { plane, relay, live, metrics, pass } = await controlledWorld()
    const stream = await plane.next()
    await stream.send(first())
    await relay.drain()
    await pass(10_000)
    expect(await stream.closed).toMatchObject({ code: 'CANCELLED' })
    expect(live.events).toEqual(['drain'])
    const read = ['causeway_config_connected', 'causeway_config_stale_seconds', 'causeway_config_log_bytes'] as const
    expect(read.map((name) => metrics.value(name))).toEqual([0, 0, 0])
    expect(plane.asked).toBe(1)
  })
})

describe('a control plane that does not answer', () => {
  it(`${requirement('RLY-012')} is asked again, later and later, with ten seconds at most between`, async () => {
    const { plane, pass } = await controlledWorld({ planes: [refusing('a')] })
    const asked: number[] = []
    for (const waitMs of [400, 800, 1_600, 60_000, 60_000]) {
      await pass(waitMs)
      asked.push(plane.asked)
    }
    const [one = 0, two = 0, three = 0, four = 0, five = 0] = asked
    expect([one, two - one, three - two]).toEqual([2, 1, 1])
    expect(four - three).toBeLessThanOrEqual(12)
    expect(five - four).toBeGreaterThanOrEqual(6)
    expect(five - four).toBeLessThanOrEqual(8)
  })

  it('is told once, and again when the reason is another', async () => {
    const { plane, pass, lines, metrics } = await controlledWorld({ planes: [refusing('a')] })
    await pass(3_000)
    plane.refusal = new RpcError('PERMISSION_DENIED', 'not served here')
    await pass(30_000)
    const told = lines().filter(({ level }) => level === 'warn')
    expect(told.map(({ target, reason }) => `${target}: ${reason}`)).toEqual(['a: down', 'a: not served here'])
    expect(metrics.value('causeway_config_streams_total', { result: 'failed' })).toBeGreaterThan(3)
  })

  it(`${requirement('RLY-012')} is followed by the next`, async () => {
    const planes = [refusing('a'), refusing('b'), new ScriptedControlPlane('c')]
    const { pass, live } = await controlledWorld({ planes })
    await pass(2_000)
    const stream = await planes[2]?.next()
    await stream?.send(first())
    expect(planes.map(({ asked }) => asked)).toEqual([1, 1, 1])
    expect(live.inForce.size).toBe(2)
  })

  it(`${requirement('RLY-012')} with a first Delta is left after a minute`, async () => {
    const planes = [new ScriptedControlPlane('silent'), new ScriptedControlPlane('b')]
    const { pass, lines } = await controlledWorld({ planes })
    const silent = await planes[0]?.next()
    await pass(59_000)
    expect(planes[1]?.asked).toBe(0)
    await pass(2_000)
    expect(await silent?.closed).toMatchObject({ code: 'CANCELLED' })
    expect(planes[1]?.asked).toBe(1)
    expect(lines()).toContainEqual(expect.objectContaining({ reason: 'silent sent no configuration within 60000 ms' }))
  })

  it('in time is waited for where its first Delta is just being taken: the next Hello has it', async () => {
    const live = new LiveRelayDouble()
    const { plane, pass } = await controlledWorld({ live })
    const slow = Promise.withResolvers<void>()
    live.apply = async (change) => {
      await slow.promise
      return await LiveRelayDouble.prototype.apply.call(live, change)
    }
    const stream = await plane.next()
    void stream.send(first())
    await pass(70_000)
    expect([plane.asked, (await stream.closed)?.code]).toEqual([1, 'CANCELLED'])
    slow.resolve()
    await pass(1_000)
    expect((await (await plane.next()).hello()).held).toHaveLength(2)
  })

  it('is asked at once when there are other certificates', async () => {
    const { plane, relay, pass } = await controlledWorld({ planes: [refusing('a')] })
    await pass(60_000)
    const { asked } = plane
    plane.refusal = undefined
    relay.certificatesChanged()
    await plane.next()
    expect(plane.asked).toBe(asked + 1)
  })
})

describe('a stream that is lost', () => {
  it('is opened anew, with what was taken; the configuration stays in force', async () => {
    const { plane, live, pass, lines } = await controlledWorld()
    await (await opened(plane)).fail('killed in the middle')
    await pass(1_000)
    const hello = await (await plane.next()).hello()
    expect(hello.held).toHaveLength(2)
    expect(live.inForce.size).toBe(2)
    expect(lines()).toContainEqual(expect.objectContaining({ level: 'warn', reason: 'killed in the middle' }))
  })

  it('as soon as it is good is not opened again and again at once', async () => {
    const { plane, pass } = await controlledWorld()
    for (let turn = 0; turn < 6; turn++) {
      const stream = await opened(plane)
      stream.fail()
      // Half of the wait is fixed, half of the rest is what this world's chance says.
      await pass(350 * Math.min(2 ** turn, 20))
      expect(plane.asked).toBe(turn + 1)
      await pass(150 * Math.min(2 ** turn, 20))
    }
  })

  it('and whose last Delta was still being taken: what the next Hello says has it', async () => {
    const live = new LiveRelayDouble()
    const { plane, pass } = await controlledWorld({ live })
    const stream = await opened(plane)
    const slow = Promise.withResolvers<void>()
    const { apply } = LiveRelayDouble.prototype
    live.apply = async (change) => {
      await slow.promise
      return await apply.call(live, change)
    }
    void stream.send(delta({ upserts: [route('default/b', '/b')] }))
    await settled()
    stream.fail()
    await pass(5_000)
    expect(plane.asked).toBe(1)
    slow.resolve()
    await pass(1_000)
    expect((await (await plane.next()).hello()).held).toHaveLength(3)
  })
})

describe('where another stream is asked for', () => {
  it(`${requirement('RLY-011')} the next has its first Delta before the old one is left`, async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('b')]
    const { metrics } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a)
    let isOver = false
    void old.closed.then(() => {
      isOver = true
    })
    old.askToReconnect()
    const next = await b.next()
    expect((await next.hello()).held).toHaveLength(2)
    await settled()
    expect([isOver, metrics.value('causeway_config_connected')]).toEqual([false, 1])
    await next.send(delta({ positions: positions(2n) }))
    await old.closed
    expect([a.asked, b.asked, metrics.value('causeway_config_connected')]).toEqual([1, 1, 1])
  })

  it('and the next cannot be had, the old one goes on', async () => {
    const planes = [new ScriptedControlPlane('a'), refusing('b')]
    const { live, pass } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a)
    old.askToReconnect()
    await settled()
    expect(b.asked).toBe(1)
    await old.send(delta({ upserts: [route('default/b', '/b')] }))
    expect(live.inForce.has('route default/b')).toBe(true)
    // The next one in turn is the first again: another stream of it takes over.
    await pass(1_000)
    const again = await a.next()
    expect((await again.hello()).held).toHaveLength(3)
    await again.send(delta({}))
    await old.closed
  })

  it(`${requirement('RLY-011')} the old one goes on until then, however long the next one is silent; the next is told what came meanwhile`, async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('b')]
    const { live, pass } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a)
    old.askToReconnect()
    const next = await b.next()
    await pass(9_000)
    await old.send(delta({ removals: [removedRoute('default/a')] }))
    expect(live.inForce.has('route default/a')).toBe(false)
    // It is about what is not so any more: nothing of it is taken.
    const reply = next.send(delta({ upserts: [route('default/b', '/b')], positions: positions(2n) }))
    expect(await Promise.race([reply, next.closed])).toMatchObject({ code: 'CANCELLED' })
    const again = await a.next()
    expect((await again.hello()).held.map(({ name }) => name)).toEqual(['default/edge'])
    await old.send(delta({ upserts: [route('default/c', '/c')] }))
    void again.send(delta({}))
    const third = await b.next()
    await third.send(delta({ upserts: [route('default/d', '/d')], positions: positions(3n) }))
    await old.closed
    expect([...live.inForce.keys()]).toEqual(['relay default/edge', 'route default/c', 'route default/d'])
  })

  it(`${requirement('RLY-011')} nothing more is taken from the old one once the first Delta of the next is there`, async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('b')]
    const { live } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a)
    old.askToReconnect()
    const next = await b.next()
    const slow = Promise.withResolvers<void>()
    live.apply = async (change) => {
      await slow.promise
      return await LiveRelayDouble.prototype.apply.call(live, change)
    }
    void next.send(delta({ upserts: [route('default/b', '/b')] }))
    await settled()
    void old.send(delta({ upserts: [route('default/c', '/c')] }))
    await settled()
    slow.resolve()
    await old.closed
    await settled()
    expect([...live.inForce.keys()]).toEqual(['relay default/edge', 'route default/a', 'route default/b'])
  })

  it('what comes on the old one again and again waits at last, so that the next one gets its turn', async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('b')]
    const { live } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a)
    old.askToReconnect()
    for (const plane of [b, a, b]) {
      const next = await plane.next()
      await old.send(delta({ upserts: [route('default/a', `/a${plane.asked}`)] }))
      void next.send(delta({}))
    }
    const last = await a.next()
    void old.send(delta({ removals: [removedRoute('default/a')] }))
    await settled()
    expect(live.inForce.has('route default/a')).toBe(true)
    const reply = await last.send(delta({ removals: [removedRoute('default/a')], positions: positions(2n) }))
    expect([reply.error, live.inForce.has('route default/a')]).toEqual([undefined, false])
    await old.closed
  })

  it('and the next knows only something older, the old one goes on beside it', async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('b')]
    const { live } = await controlledWorld({ planes })
    const [a, b] = planes
    if (a === undefined || b === undefined) return
    const old = await opened(a, 5n)
    old.askToReconnect()
    const next = await b.next()
    expect((await next.send(delta({ positions: positions(4n) }))).error?.code).toBe(DeltaErrorCode.STALE_SOURCE)
    await old.send(delta({ upserts: [route('default/b', '/b')] }))
    expect(live.inForce.has('route default/b')).toBe(true)
  })

  it('and the old one ends before the next is there, it is as with any that is lost', async () => {
    const planes = [new ScriptedControlPlane('a'), refusing('b')]
    const { pass, live } = await controlledWorld({ planes })
    const [a] = planes
    if (a === undefined) return
    const old = await opened(a)
    old.askToReconnect()
    await settled()
    old.end()
    await pass(2_000)
    await (await a.next()).send(delta({ upserts: [backend('default/b', 'b')] }))
    expect(live.inForce.size).toBe(3)
  })
})

describe('a control plane that knows only something older', () => {
  it('may say something newer after a list, on the same stream', async () => {
    const { plane, metrics } = await controlledWorld()
    const lagging = await afterRestart(plane)
    expect((await lagging.send(delta({ positions: positions(4n) }))).error?.code).toBe(DeltaErrorCode.STALE_SOURCE)
    expect((await lagging.send(delta({ positions: positions(5n) }))).error).toBeUndefined()
    expect(plane.asked).toBe(2)
    expect(metrics.value('causeway_config_deltas_total', { result: 'stale_source' })).toBe(1)
  })

  it(`${requirement('RLY-012')} and does not is left for the next`, async () => {
    const planes = [new ScriptedControlPlane('a'), new ScriptedControlPlane('lagging')]
    const { pass, lines } = await controlledWorld({ planes })
    const [a, lagging] = planes
    if (a === undefined || lagging === undefined) return
    const stream = await a.next()
    await stream.send(first(5n))
    stream.fail()
    await pass(1_000)
    await (await lagging.next()).send(delta({ positions: positions(4n) }))
    await pass(7_000)
    expect(a.asked).toBe(2)
    const reason = 'lagging knows only an older configuration than the one that is held'
    expect(lines()).toContainEqual(expect.objectContaining({ reason }))
  })

  async function afterRestart(plane: ScriptedControlPlane) {
    const stream = await plane.next()
    await stream.send(first(5n))
    stream.askToReconnect()
    return await plane.next()
  }
})

describe('where the two do not agree', () => {
  it('about what is held, the stream is left and opened anew', async () => {
    const { plane, pass } = await controlledWorld()
    const stream = await opened(plane)
    const reply = await stream.send(delta({ removals: [removedRoute('default/unknown')] }))
    expect(reply.error?.code).toBe(DeltaErrorCode.INCONSISTENT)
    await stream.closed
    await pass(1_000)
    expect((await (await plane.next()).hello()).held).toHaveLength(2)
  })

  it('about the order of Deltas, the stream is over', async () => {
    const { plane } = await controlledWorld()
    const stream = await plane.next()
    await stream.send(Object.assign(first(), { nonce: 5n }))
    void stream.send(Object.assign(delta({}), { nonce: 5n }))
    expect(await stream.closed).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

function refusing(target: string): ScriptedControlPlane {
  const plane = new ScriptedControlPlane(target)
  plane.refusal = new RpcError('UNAVAILABLE', 'down')
  return plane
}

/** A stream whose first Delta was taken. */
async function opened(plane: ScriptedControlPlane, value?: bigint) {
  const stream = await plane.next()
  const known = value === undefined ? {} : { positions: positions(value) }
  await stream.send(delta({ upserts: [settings(), route('default/a', '/a')], ...known }))
  return stream
}
