import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { call, callRequest, modernBody } from '../../../../test/fixtures/http/http-backend-harness.ts'
import {
  changed,
  INITIALIZE,
  initializeResult,
  type LegacyWorld,
  legacyWorld,
  listeningWorld,
  openedWorld,
  ping,
  result,
} from '../../../../test/fixtures/http/legacy-world.ts'
import { AskableSink } from '../../../../test/fixtures/http/recording-client.ts'
import type { Arrival } from '../../../../test/fixtures/http/scripted-server.ts'

const event = (id: string, data: string) => `id: ${id}\ndata: ${data}\n\n`

/** A call whose stream broke off after an event with the id `e-1`. */
async function brokenOff(
  world: LegacyWorld,
  breakOff: (arrival: Arrival) => void = (arrival) => arrival.response.end(),
) {
  const { sink, handle } = world.call(ping(1))
  const arrival = await world.server.next()
  arrival
    .stream()
    .raw('retry: 300\n\n')
    .raw(event('e-1', changed(1)))
  await sink.notified(1)
  breakOff(arrival)
  await expect.poll(() => world.timers.delaysMs).toEqual([300])
  return { ...world, sink, handle }
}

async function resumed(world: LegacyWorld): Promise<Arrival> {
  world.timers.fire()
  return world.server.next()
}

describe('the answer to a call that breaks off after an event id', () => {
  it.each<[string, (arrival: Arrival) => void]>([
    ['in good order', (arrival) => arrival.response.end()],
    ['by a reset', (arrival) => arrival.socket.resetAndDestroy()],
    ['inside an event', (arrival) => arrival.response.write('id: e-2\ndata: {', () => arrival.socket.destroy())],
  ])(`${requirement('BRG-019')} %s is asked for again, and the call is not made again`, async (_, breakOff) => {
    const world = await brokenOff(await openedWorld(), breakOff)
    expect(world.sink.ends).toEqual([])
    const get = await resumed(world)
    expect([get.method, get.path, get.text]).toEqual(['GET', '/mcp', ''])
    expect(get.headers).toMatchObject({
      accept: 'text/event-stream',
      'last-event-id': 'e-1',
      'mcp-session-id': 'b-1',
      'mcp-protocol-version': '2025-11-25',
    })
    get
      .stream()
      .raw(event('e-1', changed(1)))
      .raw(event('e-2', changed(2)))
      .raw(event('e-3', result(1)))
    expect(await world.sink.replyText()).toBe(result(1))
    expect(world.sink.notifications).toEqual([changed(1), changed(2)])
    await get.gone
    expect(world.timers.pending).toBe(0)
    expect(world.server.arrivals.filter(({ text }) => text === ping(1))).toHaveLength(1)
  })

  it('goes on over as many connections as it takes, from the last event of each', async () => {
    const world = await brokenOff(await openedWorld())
    const second = await resumed(world)
    second
      .stream()
      .raw('retry: 700\n\n')
      .raw(event('e-2', changed(2)))
      .end()
    await expect.poll(() => world.timers.delaysMs).toEqual([700])
    const third = await resumed(world)
    expect(third.headers['last-event-id']).toBe('e-2')
    third.json(503, '')
    await expect.poll(() => world.timers.delaysMs).toEqual([700])
    const fourth = await resumed(world)
    expect(fourth.headers['last-event-id']).toBe('e-2')
    fourth.socket.destroy()
    await expect.poll(() => world.timers.delaysMs).toEqual([1_400])
    const fifth = await resumed(world)
    fifth.stream().raw(event('e-3', result(1)))
    expect(await world.sink.replyText()).toBe(result(1))
    expect(world.sink.notifications).toEqual([changed(1), changed(2)])
  })

  it('goes on from an event that only brought an id', async () => {
    const world = await openedWorld()
    const { sink } = world.call(ping(1))
    const arrival = await world.server.next()
    arrival.stream().raw('id: first\nretry: 300\ndata:\n\n').end()
    await expect.poll(() => world.timers.delaysMs).toEqual([300])
    const get = await resumed(world)
    expect(get.headers['last-event-id']).toBe('first')
    get.stream().event(result(1))
    await sink.end
  })

  it("asks the client on what it goes on in, and cancels in the server's words", async () => {
    const world = await brokenOff(await openedWorld())
    const get = await resumed(world)
    const stream = get.stream().event('{"jsonrpc":"2.0","id":5,"method":"roots/list"}')
    const asked = await world.sink.asked()
    const words = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}'
    stream.event(words).event(result(1))
    await world.sink.end
    expect(asked.cancels).toEqual([words])
  })

  it.each([
    [400, 'NotDelivered', 1],
    [405, 'NotDelivered', 1],
    [403, 'BackendAuthRequired', 1],
    [404, 'SessionLost', 1],
  ])('fails when the backend answers %i to that', async (status, code, outcome) => {
    const world = await brokenOff(await openedWorld())
    const get = await resumed(world)
    get.json(status, '')
    expect(await world.sink.failure()).toMatchObject({ code, outcome })
    expect(world.timers.pending).toBe(0)
    expect(world.backend.openSessions).toBe(code === 'SessionLost' ? 0 : 1)
  })

  it.each<[string, (get: Arrival) => void]>([
    ['takes another connection for the one that is gone', (get) => get.json(409, '')],
    ['has nothing but a proxy left before it', (get) => get.json(502, '')],
    ['breaks off whatever it is asked', (get) => get.socket.destroy()],
  ])('fails at last when the backend %s', async (_name, refuse) => {
    const world = await brokenOff(await openedWorld())
    for (let n = 0; n < 5; n++) {
      refuse(await resumed(world))
      await expect.poll(() => world.timers.pending).toBe(1)
    }
    refuse(await resumed(world))
    expect(await world.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(world.timers.pending).toBe(0)
  })

  it('is cancelled as any other: the backend is told, and nothing is asked for again', async () => {
    const world = await brokenOff(await openedWorld())
    world.handle.cancel('deadline')
    const notification = await world.server.next()
    expect(notification.text).toContain('notifications/cancelled')
    notification.json(202, '')
    expect(await world.sink.failure()).toMatchObject({ outcome: 2 })
    expect(world.timers.pending).toBe(0)
  })

  it('is abandoned without a word while it goes on', async () => {
    const world = await brokenOff(await openedWorld())
    const get = await resumed(world)
    get.stream().raw(event('e-2', changed(2)))
    await world.sink.notified(2)
    world.handle.cancel('abandoned')
    await get.gone
    expect(world.timers.pending).toBe(0)
  })

  it('fails when the backend is closed, and leaves nothing behind', async () => {
    const world = await brokenOff(await openedWorld())
    const closed = world.backend.close()
    const deletion = await world.server.next()
    deletion.json(200, '')
    await closed
    expect(await world.sink.failure()).toMatchObject({ outcome: 1 })
    expect(world.timers.pending).toBe(0)
  })

  it('keeps its place among the requests', async () => {
    const world = await brokenOff(await openedWorld({ limits: { maxConcurrency: 1 } }))
    const { sink: waiting } = world.call(ping(2))
    const get = await resumed(world)
    expect(get.method).toBe('GET')
    get.stream().event(result(1))
    const next = await world.server.next()
    expect(next.text).toBe(ping(2))
    next.json(200, result(2))
    await waiting.end
  })

  it('may come on the stream of the session instead', async () => {
    const world = await listeningWorld()
    const stream = world.get.stream()
    const { sink } = await brokenOff(world)
    stream.event(result(1))
    expect(await sink.replyText()).toBe(result(1))
    expect(world.timers.pending).toBe(0)
  })

  it('is read no faster than its receiver takes it', async () => {
    const world = await brokenOff(await openedWorld())
    world.sink.answer = 'wait'
    const get = await resumed(world)
    get.stream()
    const padding = ' '.repeat(64 * 1024)
    for (let n = 0; n < 200; n++) get.response.write(event(`f-${n}`, changed(n) + padding))
    await world.sink.notified(2)
    expect(get.response.writableLength).toBeGreaterThan(1_000_000)
    world.sink.answer = 'ok'
    world.handle.resume()
    get.response.end(event('last', result(1)))
    await world.sink.end
    expect(world.sink.notifications).toHaveLength(201)
  })

  it('is told once where the backend repeats all that it said in the session, and brings what others wait for', async () => {
    const world = await listeningWorld()
    world.get.stream().raw(event('s-1', changed(8)))
    await world.client.notified(1)
    const { sink: other } = world.call(ping(2))
    const arrival = await world.server.next()
    arrival.stream().raw(event('o-1', changed(9)))
    await other.notified(1)
    const { sink } = await brokenOff(world)
    const get = await resumed(world)
    get
      .stream()
      .raw(event('s-1', changed(8)) + event('o-1', changed(9)) + event('o-2', result(2)))
      .raw(event('e-2', changed(2)) + event('e-3', result(1)))
    expect(await other.replyText()).toBe(result(2))
    expect(await sink.replyText()).toBe(result(1))
    expect(sink.notifications).toEqual([changed(1), changed(2)])
    world.timers.fire()
    await arrival.gone
  })

  it('of initialize is asked for in the session that it opens', async () => {
    const world = await legacyWorld()
    const { sink } = world.call(INITIALIZE)
    const arrival = await world.server.next()
    arrival.stream({ 'mcp-session-id': 'b-1' }).raw('id: i-1\nretry: 300\ndata:\n\n').end()
    await expect.poll(() => world.timers.delaysMs).toEqual([300])
    const get = await resumed(world)
    expect(get.headers).toMatchObject({ 'last-event-id': 'i-1', 'mcp-session-id': 'b-1' })
    get.stream().event(initializeResult())
    expect(await sink.replyText()).toBe(initializeResult())
  })

  it('outside any session is asked for without one', async () => {
    const { scope, server, timers } = await legacyWorld()
    const sink = new AskableSink()
    scope.call(callRequest(ping(1)), sink)
    const arrival = await server.next()
    arrival.stream().raw('id: x\nretry: 300\ndata:\n\n').end()
    await expect.poll(() => timers.delaysMs).toEqual([300])
    timers.fire()
    const get = await server.next()
    expect(get.headers).toMatchObject({ 'last-event-id': 'x' })
    get.stream().event(result(1))
    expect(await sink.replyText()).toBe(result(1))
  })
})

describe('the answer to a call that breaks off', () => {
  it.each([
    ['without any event id', ''],
    ['after the server took its event id back', 'id: a\ndata:\n\nid\ndata:\n\n'],
    ['after an event id that no header can carry', 'id: \u0001\ndata:\n\n'],
    ['after an event id of a thousand characters and more', `id: ${'x'.repeat(1_025)}\ndata:\n\n`],
  ])('%s may have been executed, and is not resumed', async (_, head) => {
    const { call: inSession, server, timers } = await openedWorld()
    const { sink } = inSession(ping(1))
    const arrival = await server.next()
    arrival.stream().raw(head).end()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(timers.pending).toBe(0)
    expect(server.arrivals).toHaveLength(2)
  })

  it('in the modern era is lost, whatever its events are called', async () => {
    const { scope, server, timers } = await legacyWorld()
    const { sink } = call(scope, callRequest(modernBody(1, 'tools/list'), { era: 'modern' }))
    const arrival = await server.next()
    arrival
      .stream()
      .raw(event('e-1', changed(1)))
      .end()
    expect(await sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(timers.pending).toBe(0)
  })

  it('after its reply has nothing to go on with', async () => {
    const { call: inSession, server, timers } = await openedWorld()
    const { sink } = inSession(ping(1))
    const arrival = await server.next()
    arrival
      .stream()
      .raw(event('e-1', result(1)))
      .end()
    await sink.end
    await expect.poll(() => timers.pending).toBe(0)
    expect(server.arrivals).toHaveLength(2)
  })
})
