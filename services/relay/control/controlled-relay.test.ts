import { create } from '@bufbuild/protobuf'
import { RelaySchema, RpcError } from '@causeway/rpc'
import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import {
  controlledWorld,
  settled,
  type World,
  type WorldOptions,
} from '../../../test/fixtures/control/controlled-world.ts'
import { delta, relaySettings, resource } from '../../../test/fixtures/control/deltas.ts'
import { MemoryFolder } from '../../../test/fixtures/control/memory-folder.ts'

const served = async (world: World, maxStalenessMs = 60_000n) => {
  const stream = await world.plane.next()
  await stream.send(delta({ upserts: [relaySettings('default/edge', maxStalenessMs)] }))
  return stream
}
const unavailable = new RpcError('UNAVAILABLE', 'down')

describe('status', () => {
  it('is told when a stream is open, with the trust bundle', async () => {
    const { plane } = await controlledWorld()
    const stream = await plane.next()
    expect(await stream.status()).toMatchObject({ peerHandle: 'one', trustBundleSha256: Uint8Array.of(1, 2, 3) })
  })

  it('is told when it has changed, at most once a second, as it is then', async () => {
    const { plane, live, pass } = await controlledWorld()
    const stream = await plane.next()
    await stream.status()
    for (let turn = 0; turn < 100; turn++) {
      live.statusChanged(`handle-${turn}`)
      await pass(5)
    }
    expect(stream.statuses).toBe(0)
    await pass(600)
    expect((await stream.status()).peerHandle).toBe('handle-99')
    await pass(5_000)
    live.statusChanged('late')
    await pass(10)
    expect((await stream.status()).peerHandle).toBe('late')
    expect(stream.statuses).toBe(0)
  })

  it('is not told when nothing has changed', async () => {
    const { plane, live, pass } = await controlledWorld()
    const stream = await plane.next()
    await stream.status()
    live.statusChanged('one')
    await pass(5_000)
    expect(stream.statuses).toBe(0)
  })

  it('is told to the next control plane, all of it, once that is the one', async () => {
    const { plane, live, pass } = await controlledWorld()
    const old = await plane.next()
    await old.send(delta({ upserts: [relaySettings('default/edge', 1n)] }))
    await old.status()
    old.askToReconnect()
    const next = await plane.next()
    live.statusChanged('two')
    await pass(10_000 - 1_000)
    expect([(await old.status()).peerHandle, next.statuses]).toEqual(['two', 0])
    await next.send(delta({}))
    expect((await next.status()).peerHandle).toBe('two')
  })
})

describe('without a control plane', () => {
  const stale = ({ metrics }: World) => metrics.value('causeway_config_stale_seconds')

  it('the time counts, and ends with the next that answers', async () => {
    const world = await controlledWorld()
    await world.pass(10_000)
    expect(stale(world)).toBeCloseTo(10, 1)
    const stream = await served(world)
    await world.pass(100_000)
    expect(stale(world)).toBe(0)
    world.plane.refusal = unavailable
    stream.fail()
    await world.pass(20_000)
    expect(stale(world)).toBeCloseTo(20, 1)
  })

  it(`${requirement('RLY-010')} nothing but what is read only is served after maxStaleness, and everything again with a control plane`, async () => {
    const world = await controlledWorld()
    const stream = await served(world, 60_000n)
    world.plane.refusal = unavailable
    stream.fail()
    await world.pass(59_000)
    expect(world.live.denied).toBe(false)
    await world.pass(2_000)
    expect(world.live.denied).toBe(true)
    expect(world.lines()).toContainEqual(expect.objectContaining({ level: 'error', denied: true }))
    world.plane.refusal = undefined
    await world.pass(31_000)
    await served(world)
    expect(world.live.denied).toBe(false)
  })

  it(`${requirement('RLY-010')} it is only told where the settings say so`, async () => {
    const world = await controlledWorld()
    const stream = await world.plane.next()
    const told = create(RelaySchema, { staleness: { maxStalenessMs: 60_000n } })
    await stream.send(delta({ upserts: [resource('relay', 'default/edge', told)] }))
    world.plane.refusal = unavailable
    stream.fail()
    await world.pass(70_000)
    expect(world.live.denied).toBe(false)
    expect(world.lines()).toContainEqual(expect.objectContaining({ level: 'error', denied: false }))
  })

  it(`${requirement('RLY-010')} settings that come into force meanwhile are those that count`, async () => {
    const world = await controlledWorld()
    const stream = await served(world, 60_000n)
    world.live.refuses = () => true
    await stream.send(delta({ upserts: [relaySettings('default/edge', 600_000n)] }))
    world.plane.refusal = unavailable
    stream.fail()
    await world.pass(61_000)
    expect(world.live.denied).toBe(true)
    world.live.refuses = () => false
    world.live.judgeAgain()
    await settled()
    expect(world.live.denied).toBe(false)
    await world.pass(540_000)
    expect(world.live.denied).toBe(true)
  })

  it(`${requirement('RLY-010')} a restart does not make it fresh`, async () => {
    const before = await controlledWorld()
    const stream = await served(before, 3_600_000n)
    await before.pass(600_000)
    before.plane.refusal = unavailable
    stream.fail()
    await settled()
    const later = (hours: number): WorldOptions => ({
      folder: before.folder,
      wallMs: before.wallMs + hours * 3_600_000,
    })
    const soon = await controlledWorld(later(0.5))
    expect([stale(soon), soon.live.denied]).toEqual([expect.closeTo(1_800, -1), false])
    await soon.pass(1_900_000)
    expect(soon.live.denied).toBe(true)
    const late = await controlledWorld(later(2))
    expect([stale(late), late.live.denied]).toEqual([expect.closeTo(7_200, -1), true])
  })

  it('a process that is killed while a control plane answers has known that a minute ago at most', async () => {
    const before = await controlledWorld()
    await served(before, 60_000n)
    await before.pass(3_600_000)
    const killed = new MemoryFolder(before.folder.files)
    const world = await controlledWorld({ folder: killed, wallMs: before.wallMs + 10_000 })
    expect(stale(world)).toBeGreaterThanOrEqual(10)
    expect(stale(world)).toBeLessThanOrEqual(71)
  })

  it('a clock that was put back counts from now on', async () => {
    const before = await controlledWorld()
    await served(before, 60_000n)
    await settled()
    const world = await controlledWorld({ folder: before.folder, wallMs: before.wallMs - 86_400_000 })
    expect([stale(world), world.live.denied]).toEqual([0, false])
  })
})
