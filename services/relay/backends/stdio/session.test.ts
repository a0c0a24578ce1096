import { requirement } from '@causeway/test/requirements'
import { describe, expect, it } from 'vitest'
import { call, callRequest, modernBody } from '../../../../test/fixtures/http/http-backend-harness.ts'
import {
  ArrivingSink,
  AskableSink,
  alive,
  ClientDouble,
  eventually,
  initialize,
  inSession,
  isAlive,
  notify,
  resultOf,
  type StdioHarness,
  sessionOf,
  useStdioHarnesses,
} from '../../../../test/fixtures/stdio/stdio-backend-harness.ts'
import type { Session } from '../../exchanges/contract.ts'

const world = useStdioHarnesses()

interface World extends StdioHarness {
  readonly client: ClientDouble
  readonly session: Session
  readonly ask: (id: string | number, method: string, params?: object) => ReturnType<typeof inSession>
}

/** A world with one session that is open. */
async function opened(...options: Parameters<typeof world>): Promise<World> {
  const harness = world(...options)
  const client = new ClientDouble()
  const session = sessionOf('s', client)
  await initialize(harness.scope, session).sink.replyText()
  const ask: World['ask'] = (id, method, params = {}) => inSession(harness.scope, session, id, method, { ...params })
  return { ...harness, client, session, ask }
}

const say = (...pieces: string[]) => ({ pieces })
const dropped = ({ metrics }: StdioHarness, reason: string) =>
  metrics.value('causeway_backend_messages_dropped_total', { backend: 'default/under-test', reason })

describe('a legacy session', () => {
  it(`${requirement('MCP-015')} is a process, which initialize starts and which gets its messages in order`, async () => {
    const world = await opened()
    notify(world.scope, world.session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect(await resultOf(world.ask(1, 'received'))).toEqual([
      '{"jsonrpc":"2.0","id":"init","method":"initialize","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":1,"method":"received","params":{}}',
    ])
  })

  it(`${requirement('MCP-021')} has a process of its own, in each scope`, async () => {
    const world = await opened()
    const other = world.backend.scope()
    expect(await inSession(other, world.session, 1, 'pid').sink.failure()).toMatchObject({
      code: 'SessionLost',
      outcome: 3,
    })
    await initialize(other, world.session).sink.replyText()
    const second = sessionOf('second')
    await initialize(world.scope, second).sink.replyText()
    const pids = [
      await resultOf(world.ask(1, 'pid')),
      await resultOf(inSession(other, world.session, 1, 'pid')),
      await resultOf(inSession(world.scope, second, 1, 'pid')),
    ]
    expect(new Set(pids).size).toBe(3)
    expect(world.backend.openSessions).toBe(3)
  })

  it(`${requirement('MCP-017')} sends what comes before the answer to initialize`, async () => {
    const harness = world()
    const session = sessionOf('s')
    const first = initialize(harness.scope, session)
    const early = inSession(harness.scope, session, 1, 'ping')
    expect(await resultOf(early)).toBe('ping')
    await first.sink.replyText()
  })

  it(`${requirement('MCP-002')} passes octets through as they are, but for line ends outside of strings`, async () => {
    const world = await opened()
    const body =
      '{"jsonrpc":"2.0",\r\n "id":1.50,"method":"received"\n,"params":{"a":"\\n\\u00e9é","b":9007199254740993}}'
    const { sink } = call(world.scope, {
      ...callRequest(body, { session: world.session }),
      idToken: Buffer.from('1.50'),
    })
    const lines = (await resultOf({ sink })) as string[]
    expect(lines.at(-1)).toBe(body.replaceAll(/[\r\n]/g, ' '))
    expect(world.metrics.value('causeway_line_ends_changed_total')).toBe(3)
  })

  it('serves requests concurrently, and tells answers by type and value of their ids', async () => {
    const world = await opened()
    const number = world.ask(1, 'never')
    const text = world.ask('1', 'never')
    await resultOf(
      world.ask(
        2,
        'say',
        say('{"jsonrpc":"2.0","id":"\\u0031","result":"text"}\n', '{"jsonrpc":"2.0","id":ID,"result":0}\n'),
      ),
    )
    expect(await resultOf(text)).toBe('text')
    await resultOf(
      world.ask(
        3,
        'say',
        say('{"jsonrpc":"2.0","id":10e-1,"result":"number"}\n', '{"jsonrpc":"2.0","id":ID,"result":0}\n'),
      ),
    )
    expect(await resultOf(number)).toBe('number')
  })

  it('refuses an id that is open', async () => {
    const world = await opened()
    world.ask(1, 'never')
    expect(await world.ask(1, 'ping').sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 0 })
  })

  it('is refused beyond limits.maxSessionProcesses of its principal, and counts until its process is gone', async () => {
    const world = await opened(['--stay'], { maxSessionProcesses: 1, stopGraceMs: 300 })
    const second = sessionOf('second')
    const refused = { code: 'QuotaExceeded', outcome: 0 }
    const other = world.backend.scope()
    for (const scope of [world.scope, other]) {
      expect(await initialize(scope, second).sink.failure()).toMatchObject(refused)
    }
    await initialize(other, second, 'peer:default/other').sink.replyText()
    world.scope.endSession(world.session, 'client')
    expect(await initialize(world.scope, second).sink.failure()).toMatchObject(refused)
    await eventually(() => alive(world)).toBe(1)
    await initialize(world.scope, second).sink.replyText()
  })

  it.each([['--modern'], ['--die']])('leaves nothing behind when initialize fails: %s', async (how) => {
    const harness = world([how])
    const { sink } = initialize(harness.scope, sessionOf('s'))
    expect(await sink.end).toMatchObject(how === '--die' ? { code: 'NotDelivered', outcome: 1 } : { kind: 'error' })
    expect(harness.backend.openSessions).toBe(0)
    expect(harness.lost).toEqual([])
    await eventually(() => alive(harness)).toBe(0)
  })

  it('that was never opened is lost: a request fails, a notification is dropped and told', async () => {
    const harness = world()
    const session = sessionOf('s')
    expect(await inSession(harness.scope, session, 1, 'ping').sink.failure()).toMatchObject({ code: 'SessionLost' })
    notify(harness.scope, session, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect(harness.lost).toEqual(['s unknown'])
  })

  it('is needed by a client of the legacy era: without one it hears that, and both eras', async () => {
    const harness = world()
    const { sink } = call(
      harness.scope,
      callRequest('{"jsonrpc":"2.0","id":1.0,"method":"tools/list"}', { idToken: Buffer.from('1.0') }),
    )
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    const text = await sink.replyText()
    expect(text).toContain('"id":1.0,')
    expect(JSON.parse(text)).toMatchObject({
      error: {
        code: -32600,
        message: 'the request names no session; begin with initialize',
        data: {
          causeway: { code: 'InvalidRequest', delivery: 'not_sent', eras: { client: 'legacy', server: 'unknown' } },
        },
      },
    })
    expect(alive(harness)).toBe(0)
  })

  it.each([
    ['legacy', ['--legacy'], 'InvalidRequest'],
    ['modern', ['--modern'], 'EraUnsupported'],
  ])('that is missing is told from a server of the other era: here one of the %s era', async (server, args, code) => {
    const harness = world([...args])
    await call(harness.scope, callRequest(modernBody(1, 'server/discover'), { era: 'modern' })).sink.end
    const { sink } = call(harness.scope, callRequest('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'))
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    expect(JSON.parse(await sink.replyText())).toMatchObject({
      error: { data: { causeway: { code, eras: { client: 'legacy', server } } } },
    })
  })

  it('tells a client of the legacy era that the server knows the modern one only', async () => {
    const harness = world(['--modern'])
    const { sink } = initialize(harness.scope, sessionOf('s'))
    expect(await sink.end).toMatchObject({ kind: 'error', status: 400 })
    expect(JSON.parse(await sink.replyText())).toMatchObject({
      id: 'init',
      error: { code: -32000, data: { causeway: { eras: { client: 'legacy', server: 'modern' } } } },
    })
  })
})

describe('a session that ends', () => {
  it('closes the standard input, and its open calls end', async () => {
    const world = await opened()
    const pid = (await resultOf(world.ask(1, 'pid'))) as number
    const open = world.ask(2, 'never')
    world.scope.endSession(world.session, 'client')
    expect(await open.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    await eventually(() => isAlive(pid)).toBe(false)
    expect(world.lost).toEqual([])
    expect(await world.ask(3, 'ping').sink.failure()).toMatchObject({ code: 'SessionLost' })
    await eventually(() => world.log.find(({ end }) => end !== undefined)?.end).toBe('exited with code 0')
  })

  it('ends with its scope', async () => {
    const world = await opened()
    world.scope.end('client')
    expect(world.backend.openSessions).toBe(0)
    await eventually(() => alive(world)).toBe(0)
  })

  it.each([
    ['exit', { code: 7 }],
    ['kill', {}],
  ])('because its process dies (%s) is told, and its calls are failed', async (how, params) => {
    const world = await opened()
    const open = world.ask(1, 'never')
    const last = world.ask(2, how, params)
    expect(await last.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect(await open.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    expect((await open.sink.failure()).message).toContain(how === 'exit' ? 'exited with code 7' : 'SIGKILL')
    await eventually(() => world.lost).toEqual(['s backend'])
    expect(await world.ask(3, 'ping').sink.failure()).toMatchObject({ code: 'SessionLost', outcome: 3 })
    await initialize(world.scope, world.session).sink.replyText()
  })

  it('tells its calls before it is told to be lost', async () => {
    const world = await opened()
    const told: number[] = []
    const scope = world.backend.scope(() => told.push(open.sink.ends.length))
    await initialize(scope, world.session).sink.replyText()
    const open = inSession(scope, world.session, 1, 'kill')
    await open.sink.end
    await eventually(() => told).toEqual([1])
  })

  it('because its process is gone but for what escaped it, which holds its output, does not wait for that', async () => {
    const world = await opened()
    const escaped = (await resultOf(world.ask(1, 'fork', { escape: true }))) as number
    try {
      const open = world.ask(2, 'kill')
      expect(await open.sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
      expect(isAlive(escaped)).toBe(true)
    } finally {
      process.kill(escaped, 'SIGKILL')
    }
  })

  it('because its process dies hears its last words first', async () => {
    const world = await opened()
    expect(await resultOf(world.ask(1, 'answerAndExit'))).toBe('last words')
    await eventually(() => world.lost).toEqual(['s backend'])
  })

  it('because its process closes its output does not wait for answers', async () => {
    const world = await opened()
    expect(await world.ask(1, 'closeOutput').sink.failure()).toMatchObject({ code: 'NotDelivered', outcome: 1 })
    await eventually(() => alive(world)).toBe(0)
  })
})

describe('what a server says besides answers', () => {
  const progress = (token: string) =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`
  const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
  const done = '{"jsonrpc":"2.0","id":ID,"result":{}}\n'

  it('belongs to the call with its progress token, else to the only call, else to the session', async () => {
    const world = await opened()
    const first = world.ask(1, 'never', { _meta: { progressToken: 'a' } })
    const second = world.ask(2, 'say', {
      ...say(`${progress('"\\u0061"')}\n${progress('2')}\n${changed}\n`, done),
      _meta: { progressToken: 2.0 },
    })
    await second.sink.replyText()
    expect(first.sink.notifications).toEqual([progress('"\\u0061"')])
    expect(second.sink.notifications).toEqual([progress('2')])
    expect(world.client.notifications).toEqual([changed])
    await world.ask(3, 'say', say(`{"jsonrpc":"2.0","id":1,"result":0}\n`, done)).sink.replyText()
    const only = world.ask(4, 'say', say(`${changed}\n${progress('"gone"')}\n`, done))
    await only.sink.replyText()
    expect(only.sink.notifications).toEqual([changed])
    expect(world.client.notifications).toEqual([changed, progress('"gone"')])
  })

  it('is not read on while its receiver is behind', async () => {
    const world = await opened()
    const waiting = world.ask(1, 'say', say(`${changed}\n`.repeat(3), done))
    waiting.sink.answer = 'wait'
    for (const count of [1, 2, 3]) {
      await waiting.sink.notified(count)
      expect(waiting.sink.notifications).toHaveLength(count)
      expect(waiting.sink.ends).toEqual([])
      waiting.handle.resume()
    }
    await waiting.sink.replyText()
    world.client.answer = 'wait'
    await world.ask(2, 'say', say(done, `${changed}\n${changed}\n`)).sink.replyText()
    await eventually(() => world.client.notifications).toHaveLength(1)
    const held = world.ask(3, 'ping')
    world.client.answer = 'ok'
    world.client.onRoom()
    expect(await resultOf(held)).toBe('ping')
    expect([...world.client.notifications, ...held.sink.notifications]).toEqual([changed, changed])
  })

  it('that arrives in parts is read on as its receiver allows', async () => {
    const world = await opened()
    const sink = new ArrivingSink(300_000)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'big', params: { octets: 2_000_000 } })
    const handle = world.scope.call(callRequest(body, { session: world.session }), sink)
    await eventually(() => sink.arrived).toBeGreaterThan(300_000)
    expect(sink.arrived).toBeLessThan(1_000_000)
    sink.mayHold = Number.POSITIVE_INFINITY
    handle.resume()
    expect((await sink.replyText()).length).toBeGreaterThan(2_000_000)
  })

  it(`${requirement('MCP-012')} is a request that goes to the client of the call, and its answer back`, async () => {
    const world = await opened()
    const sink = new AskableSink()
    const asking = '{"jsonrpc":"2.0","id":1.0,"method":"sampling/createMessage","params":{}}'
    const params = say(`${asking}\n`)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'say', params })
    world.scope.call(callRequest(body, { session: world.session }), sink)
    await eventually(() => sink.requests).toHaveLength(1)
    expect(sink.requests[0]).toMatchObject({ text: asking, request: { method: 'sampling/createMessage', effect: 2 } })
    const reply = '{"jsonrpc":"2.0", "id":1.0,"result":{"ok":true}}'
    sink.requests[0]?.reply(reply)
    expect((await resultOf(world.ask(2, 'received'))) as string[]).toContain(reply)
  })

  it('goes to the client of the session where no call or several are open', async () => {
    const world = await opened()
    world.ask(1, 'never')
    world.ask(2, 'say', say('{"jsonrpc":"2.0","id":"q","method":"roots/list"}\n'))
    await eventually(() => world.client.requests).toHaveLength(1)
    world.client.requests[0]?.sink.fail({ code: 'NotDelivered', outcome: 0, message: 'the client is gone' })
    const lines = (await resultOf(world.ask(3, 'received'))) as string[]
    expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({
      id: 'q',
      error: { code: -33110, data: { causeway: { code: 'NotDelivered', delivery: 'not_sent' } } },
    })
  })

  it('is refused where its id is open, and where nobody can be asked', async () => {
    const world = await opened()
    const ask = '{"jsonrpc":"2.0","id":7,"method":"roots/list"}\n'
    await world.ask(1, 'say', say(done, ask, ask)).sink.replyText()
    await eventually(() => world.client.requests).toHaveLength(1)
    await eventually(async () => (await resultOf(world.ask('r', 'received'))) as string[]).toContainEqual(
      expect.stringContaining('"id":7,"error":{"code":-32600'),
    )
    const nobody = sessionOf('nobody')
    await initialize(world.scope, nobody).sink.replyText()
    await inSession(world.scope, nobody, 1, 'say', say(ask, done)).sink.replyText()
    const lines = (await resultOf(inSession(world.scope, nobody, 2, 'received'))) as string[]
    expect(lines.some((line) => line.includes('"id":7,"error":{"code":-33115'))).toBe(true)
  })

  it('cancels requests of its own', async () => {
    const world = await opened()
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":70e-1}}'
    await world
      .ask(1, 'say', say(done, '{"jsonrpc":"2.0","id":7,"method":"roots/list"}\n', `${cancel}\n${cancel}\n`))
      .sink.replyText()
    await eventually(() => world.client.requests[0]?.cancels).toEqual([cancel, cancel])
    world.client.requests[0]?.sink.fail({ code: 'NotDelivered', outcome: 2, message: 'cancelled' })
    await world.ask(2, 'say', say(`${cancel}\n`, done)).sink.replyText()
    expect(dropped(world, 'unmatched_cancel')).toBe(1)
    const lines = (await resultOf(world.ask(3, 'received'))) as string[]
    expect(lines.filter((line) => line.startsWith('{"jsonrpc":"2.0","id":7'))).toEqual([])
  })

  it('is given up when the session ends', async () => {
    const world = await opened()
    await world.ask(1, 'say', say(done, '{"jsonrpc":"2.0","id":7,"method":"roots/list"}\n')).sink.replyText()
    await eventually(() => world.client.requests).toHaveLength(1)
    world.scope.endSession(world.session, 'client')
    expect(world.client.requests[0]?.cancels).toEqual([undefined])
  })
})

describe('a cancel', () => {
  const received = async (world: World) => (await resultOf(world.ask('r', 'received'))) as string[]

  it('writes the notification, and then ends the call with outcome 2', async () => {
    const world = await opened()
    const open = world.ask(1, 'never')
    open.handle.cancel('deadline')
    expect(await open.sink.failure()).toMatchObject({ outcome: 2 })
    expect((await received(world)).at(-2)).toBe(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    )
    await world
      .ask(2, 'say', say('{"jsonrpc":"2.0","id":1,"result":"late"}\n', '{"jsonrpc":"2.0","id":ID,"result":0}\n'))
      .sink.replyText()
    expect(world.metrics.value('causeway_late_replies_total', { side: 'backend' })).toBe(1)
    expect(dropped(world, 'unmatched_reply')).toBe(0)
  })

  it("of the client's own words passes them on", async () => {
    const world = await opened()
    const open = world.ask('a', 'never')
    const own = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u0061","reason":"bored"}}'
    notify(world.scope, world.session, own)
    expect(await open.sink.failure()).toMatchObject({ outcome: 2 })
    expect((await received(world)).at(-2)).toBe(own)
    const foreign = own.replace('\\u0061', 'unknown')
    notify(world.scope, world.session, foreign)
    expect((await received(world)).at(-2)).toBe(foreign)
  })

  it('of a call that is abandoned says nothing to the server', async () => {
    const world = await opened()
    const open = world.ask(1, 'never')
    open.handle.cancel('abandoned')
    expect(await open.sink.failure()).toMatchObject({ outcome: 2 })
    expect((await received(world)).some((line) => line.includes('cancelled'))).toBe(false)
  })

  it('of initialize ends the process, and sends no cancel', async () => {
    const harness = world(['--mute'])
    const { sink, handle } = initialize(harness.scope, sessionOf('s'))
    await eventually(() => alive(harness)).toBe(1)
    handle.cancel('disconnect')
    expect(await sink.failure()).toMatchObject({ outcome: 2 })
    expect(harness.backend.openSessions).toBe(0)
    await eventually(() => alive(harness)).toBe(0)
  })
})
